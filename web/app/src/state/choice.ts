// SPDX-License-Identifier: Apache-2.0
// What the user chose: whom to look at, how, and under which conditions.
import { batch, computed, signal } from "@preact/signals";
import type { FeatureLimit, NoiseQuestion, Person, Question, RecordOf } from "../api/types";
import { featureByName, features, model } from "./session";

export type View = "advisor" | "scientist" | "auditor";
export const kViews: readonly View[] = ["advisor", "scientist", "auditor"];

/** Somebody of the loaded people, or a record that was typed in. */
export type Subject = { row: number } | { record: RecordOf };

export const kAlternatives = 3;

export const view = signal<View>("advisor");
export const subject = signal<Subject | null>(null);
/** Null: as the server's defaults say. */
export const chosenTarget = signal<number | null>(null);
export const chosenConfidence = signal<number | null>(null);
export const alternatives = signal(kAlternatives);
export const limits = signal<Readonly<Record<string, FeatureLimit>>>({});
/** Noise that differs from the default, by feature: a scale in its units, or a probability. */
export const noise = signal<Readonly<Record<string, number>>>({});
/** Which of the alternatives is looked at, from 0. */
export const chosenPlan = signal(0);

export const target = computed(() => chosenTarget.value ?? model.value?.defaults.target ?? 0.05);
export const confidence = computed(
  () => chosenConfidence.value ?? model.value?.defaults.confidence ?? 0.999,
);

export const isTyped = (who: Subject | null): who is { record: RecordOf } =>
  who !== null && "record" in who;

/** What a person is called on the page. */
export const nameOf = (who: Subject): string =>
  isTyped(who) ? "New applicant" : `Applicant ${who.row}`;

/** Chooses somebody; limits were about somebody else. */
export function choose(who: Subject | null): void {
  // Together, or each would be a question of its own.
  batch(() => {
    subject.value = who;
    limits.value = {};
    chosenPlan.value = 0;
  });
}

/** Back to the limits and the noise that the server states. */
export function forgetConditions(): void {
  batch(() => {
    limits.value = {};
    noise.value = {};
  });
}

/** Changes a limit of a feature; a limit that says nothing is dropped. */
export function limit(name: string, change: Partial<FeatureLimit>): void {
  const merged = Object.entries({ ...limits.value[name], ...change }).filter(
    ([, value]) => value !== undefined && value !== false && value !== "both",
  );
  const { [name]: _, ...others } = limits.value;
  limits.value =
    merged.length === 0
      ? others
      : { ...others, [name]: Object.fromEntries(merged) as FeatureLimit };
}

/** Sets the noise of a feature; undefined: back to the default. */
export function setNoise(name: string, value: number | undefined): void {
  const { [name]: _, ...others } = noise.value;
  noise.value = value === undefined ? others : { ...others, [name]: value };
}

/** The noise of a feature that a question states now. */
export function noiseOf(name: string): number {
  return noise.value[name] ?? featureByName.value.get(name)?.noise?.value ?? 0;
}

const noiseQuestion = computed<NoiseQuestion | undefined>(() => {
  if (Object.keys(noise.value).length === 0) return undefined;
  // A schema's noise is changed feature by feature. Assumed noise has nothing to start from.
  const assumed = model.value?.noise_assumed ?? true;
  const named = assumed ? features.value.map((feature) => feature.name) : Object.keys(noise.value);
  const of = (type: "numeric" | "categorical"): Record<string, number> =>
    Object.fromEntries(
      named
        .filter((name) => featureByName.value.get(name)?.type === type)
        .filter((name) => type === "numeric" || name in noise.value)
        .map((name) => [name, noiseOf(name)]),
    );
  return {
    ...(assumed ? {} : { spec: "schema" }),
    scales: of("numeric"),
    flips: of("categorical"),
  };
});

/** The question that the choices add up to; null while nobody is chosen. */
export const question = computed<Question | null>(() => {
  const who = subject.value;
  if (who === null || model.value === null) return null;
  const asked: Question = {
    person: who as Person,
    target: target.value,
    confidence: confidence.value,
    alternatives: alternatives.value,
  };
  if (noiseQuestion.value !== undefined) asked.noise = noiseQuestion.value;
  if (Object.keys(limits.value).length > 0) asked.features = { ...limits.value };
  return asked;
});
