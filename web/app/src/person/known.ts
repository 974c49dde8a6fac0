// SPDX-License-Identifier: Apache-2.0
// What is known of the chosen person, from wherever it is known first.
import { computed } from "@preact/signals";
import type { RecordOf } from "../api/types";
import { progress } from "../state/answer";
import { isTyped, subject } from "../state/choice";
import { person } from "../state/people";
import { model } from "../state/session";

export interface Known {
  record: RecordOf;
  score: number | null;
  /** Null while nobody has asked the model. */
  accepted: boolean | null;
}

export const known = computed<Known | null>(() => {
  const who = subject.value;
  if (who === null) return null;
  const { answer, preview } = progress.value;
  const score = answer?.rows[0]?.score_before ?? preview?.score_before ?? null;
  const status = answer?.rows[0]?.status ?? preview?.status;
  if (isTyped(who)) {
    const accepted = status === undefined || status === "error" ? null : status === "already";
    return { record: who.record, score, accepted };
  }
  const loaded = person.value;
  if (loaded === null) return null;
  const { record, decision } = loaded;
  return {
    record,
    score: score ?? loaded.score,
    accepted: decision === "unreadable" ? null : decision === "accepted",
  };
});

/** The answer of the model today, in its own word. */
export function decisionName(accepted: boolean): string {
  const served = model.value;
  return (accepted ? served?.wanted_name : served?.other_name) ?? "";
}
