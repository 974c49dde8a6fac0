// SPDX-License-Identifier: Apache-2.0
// Values of people in words, and records from what was typed or pasted.
import type { Feature, RecordOf } from "../api/types";
import { kNothing } from "../../../shared/format";
import { unitBehind } from "../state/session";

type Value = RecordOf[string];

const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 6 });

/** A number in few digits, with thousands. */
export const numeral = (value: number): string => digits.format(value);

/** 4308 -> "4,308 DM"; a category as it is. */
export function valueText(feature: Feature, value: Value | undefined): string {
  if (value === null || value === undefined || value === "") return kNothing;
  const number = Number(value);
  if (feature.type === "categorical" || !Number.isFinite(number)) {
    return tidy(String(value));
  }
  return numeral(number) + unitBehind(feature, number);
}

/** Comparisons in names of levels, as they are written by hand: ">=200" -> "≥ 200". */
export const tidy = (text: string): string =>
  text
    .replaceAll(/ *<= */g, " ≤ ")
    .replaceAll(/ *>= */g, " ≥ ")
    .replaceAll(/ *([<>]) */g, " $1 ")
    .trim();

/** A label at the beginning of a line. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A record to start a form with: what is typical. */
export const typicalRecord = (features: readonly Feature[]): RecordOf =>
  Object.fromEntries(features.map((feature) => [feature.name, feature.typical ?? ""]));

/** What is wrong with a value; empty when nothing is. */
export function valueProblem(feature: Feature, value: Value | undefined): string {
  const text = value === null || value === undefined ? "" : String(value).trim();
  if (text === "") return "A value is missing.";
  if (feature.type === "numeric") {
    return Number.isFinite(Number(text)) ? "" : "This must be a number.";
  }
  return feature.levels.length === 0 || feature.levels.includes(text)
    ? ""
    : "This is none of the levels that the model knows.";
}
