// SPDX-License-Identifier: Apache-2.0
// Scales for distances and ratios: linear while they are alike, logarithmic when they are not.
import * as Plot from "@observablehq/plot";
import * as format from "./format";

/** Beyond this ratio of largest to smallest, a linear axis squeezes all but the largest. */
const kLogRatio = 12;

export interface Spanning {
  scale: Plot.ScaleOptions;
  ticks: number | number[];
  /** An axis to use in place of Plot's own, which would leave some of the ticks without a number. */
  axis: ((options: Plot.AxisXOptions & Plot.AxisYOptions) => Plot.Markish) | null;
}

// 1, 2 and 5 of every decade; over many decades the powers of ten alone.
function logTicks(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const steps = last - first > 4 ? [1] : [1, 2, 5];
  const powers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  return powers
    .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
    .filter((value) => value >= low && value <= high);
}

function logarithmic(low: number, high: number, make: typeof Plot.axisY): Spanning {
  const ticks = logTicks(low, high);
  return {
    scale: { type: "log", domain: [low, high] },
    ticks,
    axis: (options) =>
      make({ ...options, ticks, text: (value: number) => format.significant(value) }),
  };
}

/** A y-scale from zero, or a logarithmic one for values that differ by more than a magnitude. */
export function distanceScale(values: readonly number[]): Spanning {
  const low = Math.min(...values);
  const high = Math.max(...values);
  if (low > 0 && high / low > kLogRatio) return logarithmic(low * 0.8, high * 1.25, Plot.axisY);
  const scale = { zero: true, nice: true, insetBottom: 4, insetTop: 4 } as const;
  return { scale, ticks: 5, axis: null };
}

/** An x-scale for ratios around and above one. */
export function ratioScale(values: readonly number[], ticks: number): Spanning {
  const low = Math.min(1, ...values);
  const high = Math.max(1.05, ...values);
  if (low > 0 && high / low > kLogRatio) {
    return logarithmic(low * 0.9, high * 1.15, Plot.axisX as typeof Plot.axisY);
  }
  const room = 0.04 * (high - low);
  return { scale: { domain: [low - room, high + room] }, ticks, axis: null };
}
