// SPDX-License-Identifier: Apache-2.0
// Scales for distances and ratios: linear while they are alike, logarithmic when they are not.
import * as Plot from "@observablehq/plot";
import * as format from "./format";

/** Beyond this ratio of largest to smallest, a linear axis squeezes all but the largest. */
const kLogRatio = 12;

/** Numbers on a y-axis; each takes little height. */
const kMostRows = 12;

export interface Spanning {
  scale: Plot.ScaleOptions;
  ticks: number | number[];
  /** An axis to use in place of Plot's own, which would leave some of the ticks without a number. */
  axis: ((options: Plot.AxisXOptions & Plot.AxisYOptions) => Plot.Markish) | null;
}

/** Ticks of a logarithmic axis: as many steps per decade as fit, or every N decades. */
export function logTicks(low: number, high: number, most: number): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  const powers = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const inside = (steps: readonly number[]): number[] =>
    powers
      .flatMap((power) => steps.map((step) => Number(`${step}e${power}`)))
      .filter((value) => value >= low && value <= high);
  const fitting = [[1, 2, 5], [1, 3], [1]].map(inside).find((ticks) => ticks.length <= most);
  if (fitting !== undefined && fitting.length > 0) return fitting;
  const decades = inside([1]);
  const every = Math.ceil(decades.length / most);
  return decades.length === 0 ? [low, high] : decades.filter((_, i) => i % every === 0);
}

function logarithmic(low: number, high: number, most: number, make: typeof Plot.axisY): Spanning {
  const ticks = logTicks(low, high, most);
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
  if (low > 0 && high / low > kLogRatio)
    return logarithmic(low * 0.8, high * 1.25, kMostRows, Plot.axisY);
  const scale = { zero: true, nice: true, insetBottom: 4, insetTop: 4 } as const;
  return { scale, ticks: 5, axis: null };
}

/** An x-scale for ratios around and above one, with about that many ticks. */
export function ratioScale(values: readonly number[], ticks: number): Spanning {
  const low = Math.min(1, ...values);
  const high = Math.max(1.05, ...values);
  if (low > 0 && high / low > kLogRatio) {
    // Such numbers are short: half as many again have room.
    const most = Math.ceil(1.5 * ticks);
    return logarithmic(low * 0.9, high * 1.15, most, Plot.axisX as typeof Plot.axisY);
  }
  const room = 0.04 * (high - low);
  return { scale: { domain: [low - room, high + room] }, ticks, axis: null };
}
