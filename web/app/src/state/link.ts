// SPDX-License-Identifier: Apache-2.0
// The state of the page in its address, so that a link restores it. Values of a person and the ranges
// that he stated are in a link only when the user asks for them.
import { batch, effect, untracked } from "@preact/signals";
import type { FeatureLimit, RecordOf } from "../api/types";
import * as choice from "./choice";

const kScale = "noise.";
const kLists = ["fixed", "up", "down"] as const;

function limitOf(name: string, kind: (typeof kLists)[number]): boolean {
  const limit = choice.limits.value[name];
  return kind === "fixed" ? limit?.fixed === true : limit?.direction === kind;
}

/** The state as text; with `personal`, a typed record and stated ranges too. */
export function writeLink(personal: boolean): string {
  const out = new URLSearchParams({ view: choice.view.value });
  const who = choice.subject.value;
  if (who !== null && !choice.isTyped(who)) out.set("row", String(who.row));
  if (choice.chosenTarget.value !== null) out.set("target", String(choice.chosenTarget.value));
  if (choice.chosenConfidence.value !== null) {
    out.set("confidence", String(choice.chosenConfidence.value));
  }
  if (choice.alternatives.value !== choice.kAlternatives) {
    out.set("alternatives", String(choice.alternatives.value));
  }
  if (choice.chosenPlan.value > 0) out.set("plan", String(choice.chosenPlan.value + 1));
  for (const [name, value] of Object.entries(choice.noise.value)) {
    out.set(kScale + name, String(value));
  }
  for (const kind of kLists) {
    for (const name of Object.keys(choice.limits.value)) {
      if (limitOf(name, kind)) out.append(kind, name);
    }
  }
  if (personal) {
    if (choice.isTyped(who)) out.set("record", JSON.stringify(who.record));
    for (const [name, { minimum, maximum, levels }] of Object.entries(choice.limits.value)) {
      if (minimum !== undefined) out.set(`min.${name}`, String(minimum));
      if (maximum !== undefined) out.set(`max.${name}`, String(maximum));
      if (levels !== undefined) out.set(`levels.${name}`, JSON.stringify(levels));
    }
  }
  return out.toString();
}

const number = (text: string | null): number | null =>
  text === null || text.trim() === "" || !Number.isFinite(Number(text)) ? null : Number(text);

const share = (text: string | null): number | null => {
  const value = number(text);
  return value !== null && value > 0 && value < 1 ? value : null;
};

function json<T>(text: string | null): T | null {
  try {
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}

function readLimits(from: URLSearchParams): Record<string, FeatureLimit> {
  const out: Record<string, FeatureLimit> = {};
  const of = (name: string): FeatureLimit => (out[name] ??= {});
  for (const name of from.getAll("fixed")) of(name).fixed = true;
  for (const kind of ["up", "down"] as const) {
    for (const name of from.getAll(kind)) of(name).direction = kind;
  }
  for (const [key, text] of from) {
    const [, kind, name = ""] = /^(min|max|levels)\.(.*)$/s.exec(key) ?? [];
    const value = number(text);
    if (kind === "min" && value !== null) of(name).minimum = value;
    if (kind === "max" && value !== null) of(name).maximum = value;
    const levels = kind === "levels" ? json<string[]>(text) : null;
    if (levels !== null && levels.length > 0) of(name).levels = levels;
  }
  return out;
}

function restore(text: string): void {
  const from = new URLSearchParams(text);
  const view = choice.kViews.find((one) => one === from.get("view"));
  choice.view.value = view ?? "advisor";
  const row = number(from.get("row"));
  const record = json<RecordOf>(from.get("record"));
  if (record !== null) choice.subject.value = { record };
  else if (row !== null) choice.subject.value = { row };
  // A typed record is in no ordinary link: going back and forth must not lose it.
  else if (!choice.isTyped(choice.subject.value)) choice.subject.value = null;
  choice.chosenTarget.value = share(from.get("target"));
  choice.chosenConfidence.value = share(from.get("confidence"));
  choice.alternatives.value = number(from.get("alternatives")) ?? choice.kAlternatives;
  choice.chosenPlan.value = Math.max(0, (number(from.get("plan")) ?? 1) - 1);
  choice.limits.value = readLimits(from);
  const scales = [...from].flatMap(([key, value]) => {
    const scale = number(value);
    return key.startsWith(kScale) && scale !== null ? [[key.slice(kScale.length), scale]] : [];
  });
  choice.noise.value = Object.fromEntries(scales) as Record<string, number>;
}

/** Restores what a link holds. What it does not hold goes back to the default. */
export const readLink = (text: string): void => batch(() => restore(text));

/** Another view or person is a step that "back" undoes; the rest only changes the address. */
const stepOf = (text: string): string => {
  const link = new URLSearchParams(text);
  return `${link.get("view")} ${link.get("row")}`;
};

/** Milliseconds without a new choice before the address follows: a moving slider need not wait for it. */
const kCalm = 200;

/** Keeps the address and the state together. */
export function followLinks(): void {
  let waiting: string | null = null;
  let timer = 0;
  const settle = (): void => {
    clearTimeout(timer);
    if (waiting !== null) history.replaceState(null, "", `#${waiting}`);
    waiting = null;
  };
  readLink(location.hash.slice(1));
  window.addEventListener("pagehide", settle);
  window.addEventListener("popstate", () => {
    clearTimeout(timer);
    waiting = null;
    readLink(location.hash.slice(1));
  });
  effect(() => {
    const text = writeLink(false);
    untracked(() => {
      const before = waiting ?? location.hash.slice(1);
      if (text === before) return;
      if (before !== "" && stepOf(text) !== stepOf(before)) {
        settle();
        history.pushState(null, "", `#${text}`);
        return;
      }
      clearTimeout(timer);
      waiting = text;
      timer = window.setTimeout(settle, kCalm);
    });
  });
}

/** The address of this state. */
export const addressOf = (personal: boolean): string =>
  `${location.href.split("#")[0] ?? ""}#${writeLink(personal)}`;
