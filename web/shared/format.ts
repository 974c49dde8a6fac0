// SPDX-License-Identifier: Apache-2.0
// How numbers are written, in one place: tips, tables, cells and captions agree.
import { format } from "d3";

type Maybe = number | null | undefined;

const thousands = format(",d");
const three = format(".3~r");

export const kNothing = "–";

function written(value: Maybe, how: (value: number) => string): string {
  return value == null || !Number.isFinite(value) ? kNothing : how(value).replace("−", "-");
}

/** 1234567 -> 1,234,567 */
export const whole = (value: Maybe): string => written(value, thousands);

/** Three significant digits, without an exponent: distances and ratios. */
export const significant = (value: Maybe): string =>
  written(value, (x) => (x !== 0 && Math.abs(x) < 0.001 ? x.toExponential(1) : three(x)));

/** A share of people in per cent; nothing but all is 100, nothing but none is 0. */
export const percent = (value: Maybe, digits = 1): string =>
  written(value, (x) => {
    const least = 10 ** -digits;
    const share = 100 * x;
    if (share > 0 && share < least / 2) return `< ${least} %`;
    if (share < 100 && share > 100 - least / 2) return `> ${(100 - least).toFixed(digits)} %`;
    return `${share.toFixed(digits).replace(/\.0+$/, "")} %`;
  });

/** A rate in per cent with the digits that this many samples support. */
export const rate = (value: Maybe): string => written(value, (x) => `${(100 * x).toFixed(2)} %`);

/** A target in per cent, as typed: 0.05 -> 5 %. */
export const target = (value: Maybe): string =>
  written(value, (x) => `${+(100 * x).toPrecision(6)} %`);

/** Milliseconds in the unit that reads best. */
export const duration = (ms: Maybe): string =>
  written(ms, (x) => {
    if (x >= 60_000) return `${three(x / 60_000)} min`;
    if (x >= 1000) return `${three(x / 1000)} s`;
    return x >= 1 ? `${three(x)} ms` : `${three(x * 1000)} µs`;
  });
