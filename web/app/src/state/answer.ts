// SPDX-License-Identifier: Apache-2.0
// The answer to the question, as it arrives: a preview, the rows, their certificates.
import { computed, effect, signal, untracked } from "@preact/signals";
import { isAbort, Problem, stream } from "../api/client";
import type { Answer, CertificateEvent, Preview, Question, Row, Words } from "../api/types";
import { chosenPlan, question } from "./choice";
import { Latest } from "./latest";
import { epoch, failed } from "./session";

/** Milliseconds between two questions of a slider that moves. */
const kGap = 40;

export type Stage = "idle" | "asking" | "preview" | "answered" | "certified" | "failed";

export interface Progress {
  stage: Stage;
  /** The newest preview; what is older than it is no longer current. */
  preview: Preview | null;
  answer: Answer | null;
  certificates: readonly CertificateEvent[];
  problem: string;
  /** From the choice to the picture, in milliseconds. */
  previewTime: number | null;
  certifiedTime: number | null;
}

const kNothing: Progress = {
  stage: "idle",
  preview: null,
  answer: null,
  certificates: [],
  problem: "",
  previewTime: null,
  certifiedTime: null,
};

export const progress = signal<Progress>(kNothing);

/** The alternative that is looked at; null while there is none. */
export const plan = computed<{ row: Row; words: Words; index: number } | null>(() => {
  const { answer } = progress.value;
  if (answer === null) return null;
  const index = Math.min(chosenPlan.value, answer.rows.length - 1);
  const row = answer.rows[index];
  const words = answer.words[index];
  return row === undefined || words === undefined ? null : { row, words, index };
});

/** The answer on the page is the one to the present question. */
export const current = computed(() => ["answered", "certified"].includes(progress.value.stage));

/** The certificate of an alternative, from 0. */
export const certificateOf = (index: number): CertificateEvent | undefined =>
  progress.value.certificates.find((one) => one.alternative === index + 1);

const latest = new Latest(kGap);

function change(part: Partial<Progress>): void {
  progress.value = { ...progress.value, ...part };
}

/** The time at which what was just changed is on the screen. */
const painted = (): Promise<number> =>
  new Promise((resolve) =>
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))),
  );

async function ask(asked: Question, begun: number, stop: AbortSignal): Promise<void> {
  let certificates: CertificateEvent[] = [];
  try {
    for await (const { name, data } of stream("explain", asked, stop)) {
      if (stop.aborted) return;
      if (name === "preview") {
        change({ stage: "preview", preview: data as Preview });
        void painted().then((now) => {
          if (!stop.aborted) change({ previewTime: now - begun });
        });
      } else if (name === "answer") {
        certificates = [];
        change({ stage: "answered", answer: data as Answer, certificates, problem: "" });
      } else if (name === "certificate") {
        certificates = [...certificates, data as CertificateEvent];
        change({ certificates });
      } else if (name === "done") {
        change({ stage: "certified" });
        const now = await painted();
        if (!stop.aborted) change({ certifiedTime: now - begun });
      }
    }
  } catch (error) {
    if (isAbort(error) || stop.aborted) return;
    if (error instanceof Problem && error.retryAfter !== null) {
      change({ problem: "The server is busy. The page asks again by itself." });
      latest.run((signal) => ask(asked, performance.now(), signal), 1000 * error.retryAfter);
      return;
    }
    const gone = failed(error);
    const problem = gone ? "" : error instanceof Error ? error.message : String(error);
    change({ stage: "failed", problem });
  }
}

/** Asks whenever the question changes, and when a server came back. */
export function answerQuestions(): void {
  let person = "";
  effect(() => {
    const asked = question.value;
    void epoch.value;
    untracked(() => {
      if (asked === null) {
        latest.stop();
        progress.value = kNothing;
        return;
      }
      const whom = JSON.stringify(asked.person);
      if (whom !== person) progress.value = kNothing;
      person = whom;
      change({ stage: "asking", problem: "", previewTime: null, certifiedTime: null });
      const begun = performance.now();
      latest.run((signal) => ask(asked, begun, signal));
    });
  });
}
