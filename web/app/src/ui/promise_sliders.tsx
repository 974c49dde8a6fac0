// SPDX-License-Identifier: Apache-2.0
// How strong the promise is to be: the target and the confidence.
import * as format from "../../../shared/format";
import * as choice from "../state/choice";
import { StopSlider } from "./slider";

/** Failure rates that the target can be set to. */
export const kTargets: readonly number[] = [
  0.3, 0.25, 0.2, 0.15, 0.12, 0.1, 0.08, 0.07, 0.06, 0.05, 0.04, 0.03, 0.02, 0.015, 0.01, 0.007,
  0.005,
];
const kConfidences: readonly number[] = [0.9, 0.95, 0.99, 0.999, 0.9999];

/** 0.05 -> "5 of 100" */
export const ofHundred = (rate: number): string => `${+(100 * rate).toPrecision(3)} of 100`;

export function TargetSlider() {
  const target = choice.target.value;
  return (
    <StopSlider
      label="The plan may fail in at most"
      stops={kTargets}
      value={target}
      text={`${ofHundred(target)} cases`}
      hint="Further right the promise is stronger, and the change it needs is larger."
      change={(value) => (choice.chosenTarget.value = value)}
    />
  );
}

export function ConfidenceSlider() {
  const confidence = choice.confidence.value;
  return (
    <StopSlider
      label="Confidence in the promise"
      stops={kConfidences.map((one) => 1 - one)}
      value={1 - confidence}
      text={format.target(confidence)}
      hint="The probability that a statement of this kind is true, over the random samples it rests on."
      change={(error) => (choice.chosenConfidence.value = +(1 - error).toFixed(6))}
    />
  );
}

export function AlternativesSlider() {
  const count = choice.alternatives.value;
  return (
    <StopSlider
      label="Plans to choose from"
      stops={[1, 2, 3, 4, 5]}
      value={count}
      text={count === 1 ? "1 plan" : `up to ${count} plans`}
      change={(value) => (choice.alternatives.value = value)}
    />
  );
}
