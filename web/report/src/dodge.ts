// SPDX-License-Identifier: Apache-2.0
// Places side by side around each target, so that methods with one target do not cover each other.
import type { Series } from "./series";

export interface Dodge {
  /** Half the width that a target's marks take, in units of the target. */
  half: number;
  /** The middle of a series' place, relative to the target. */
  offset: (series: Series) => number;
  /** The width of one place, in pixels. */
  slotPixels: number;
  domain: [number, number];
}

/** No place is wider than this many pixels, so that marks stay near their target. */
const kWidest = 14;

/** Places for the series around each target, on an axis of the given width in pixels. */
export function dodge(targets: readonly number[], series: readonly Series[], width: number): Dodge {
  const sorted = [...new Set(targets)].sort((a, b) => a - b);
  const low = sorted[0] ?? 0;
  const high = sorted[sorted.length - 1] ?? 1;
  let gap = sorted.length > 1 ? high - low : Math.max(low, 0.01);
  sorted.forEach((value, i) => {
    const before = sorted[i - 1];
    if (before !== undefined) gap = Math.min(gap, value - before);
  });
  const domain: [number, number] = [low - 0.6 * gap, high + 0.6 * gap];
  const pixel = (domain[1] - domain[0]) / width;
  const count = Math.max(1, series.length);
  const slot = Math.min((0.84 * gap) / count, kWidest * pixel);
  const half = (slot * count) / 2;
  return {
    half,
    slotPixels: slot / pixel,
    offset: (one) => slot * (series.indexOf(one) + 0.5) - half,
    domain,
  };
}
