// SPDX-License-Identifier: Apache-2.0
import { quantileSorted } from "d3";

/** The values that are there, and their quantiles (R-7, as d3 and NumPy have them). */
export interface Quantiles {
  count: number;
  at: (part: number) => number;
}

export function quantiles(values: readonly (number | null)[]): Quantiles {
  const known = values.filter((value): value is number => value !== null);
  const sorted = Array.from(Float64Array.from(known).sort());
  return { count: sorted.length, at: (part) => quantileSorted(sorted, part) ?? NaN };
}
