// SPDX-License-Identifier: Apache-2.0
// Places side by side around each target, so that methods with one target do not cover each other.
import type { Series } from "./series";

export interface Dodge {
  /** Half the width that a target's marks take, in units of the target. */
  half: number;
  /** The middle of a series' place, relative to the target. */
  offset: (series: Series) => number;
  /** The width of one place. */
  slot: number;
  domain: [number, number];
}

/** Places for the series around each target; the targets' smallest gap decides their width. */
export function dodge(targets: readonly number[], series: readonly Series[]): Dodge {
  const sorted = [...new Set(targets)].sort((a, b) => a - b);
  const low = sorted[0] ?? 0;
  const high = sorted[sorted.length - 1] ?? 1;
  let gap = sorted.length > 1 ? high - low : Math.max(low, 0.01);
  sorted.forEach((value, i) => {
    const before = sorted[i - 1];
    if (before !== undefined) gap = Math.min(gap, value - before);
  });
  const half = 0.42 * gap;
  const slot = (2 * half) / Math.max(1, series.length);
  return {
    half,
    slot,
    offset: (one) => slot * (series.indexOf(one) + 0.5) - half,
    domain: [low - 0.6 * gap, high + 0.6 * gap],
  };
}
