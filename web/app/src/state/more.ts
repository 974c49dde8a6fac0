// SPDX-License-Identifier: Apache-2.0
// What the data scientist's view asks on top of the answer: the curve, the cloud and the other methods.
import { computed, effect, signal, untracked, type Signal } from "@preact/signals";
import { isAbort, post, Problem, stream } from "../api/client";
import type {
  Cloud,
  CloudQuestion,
  Comparison,
  CompareQuestion,
  TradeoffPoint,
  TradeoffQuestion,
} from "../api/types";
import { current, plan } from "./answer";
import { question, view } from "./choice";
import { Latest } from "./latest";
import { epoch, failed } from "./session";

/** Milliseconds without a new choice before more is asked than the answer. */
const kCalm = 250;
const kOutcomes = 1000;

export interface Part<T> {
  value: T | null;
  loading: boolean;
  problem: string;
}

const nothing = { value: null, loading: false, problem: "" };

export const tradeoff = signal<Part<readonly TradeoffPoint[]>>(nothing);
export const cloud = signal<Part<Cloud>>(nothing);
export const comparison = signal<Part<Comparison>>(nothing);

/** Keeps a part up to date with a key: asks when the key changes, and keeps the old while it waits. */
function keep<T>(
  part: Signal<Part<T>>,
  key: () => unknown,
  ask: (asked: unknown, stop: AbortSignal) => Promise<void>,
): void {
  const latest = new Latest(0);
  let known = "";
  const wanted = computed(() => {
    void epoch.value;
    return view.value === "scientist" ? JSON.stringify(key() ?? null) : "";
  });
  effect(() => {
    const text = wanted.value;
    untracked(() => {
      if (text === "" || text === known) return;
      if (text === "null") {
        // A new answer is on its way: what was asked about the last one only keeps the server busy.
        if (part.value.loading) {
          latest.stop();
          known = "";
          part.value = { ...part.value, loading: false };
        }
        return;
      }
      known = text;
      part.value = { ...part.value, loading: true, problem: "" };
      const task = async (stop: AbortSignal): Promise<void> => {
        try {
          await ask(JSON.parse(text), stop);
          part.value = { ...part.value, loading: false };
        } catch (error) {
          if (isAbort(error) || stop.aborted) return;
          if (error instanceof Problem && error.retryAfter !== null) {
            latest.run(task, 1000 * error.retryAfter);
            return;
          }
          known = "";
          const gone = failed(error);
          const problem = gone ? "" : error instanceof Error ? error.message : String(error);
          part.value = { value: null, loading: false, problem };
        }
      };
      latest.run(task, kCalm);
    });
  });
}

/** Starts to keep all three up to date. */
export function answerMore(): void {
  keep(
    tradeoff,
    () => {
      if (question.value === null) return null;
      // The curve is over all targets: moving along it changes nothing.
      const { target: _, alternatives: __, ...rest } = question.value;
      return { ...rest, reasons: false } satisfies TradeoffQuestion;
    },
    async (asked, stop) => {
      const points: TradeoffPoint[] = [];
      for await (const { name, data } of stream("tradeoff", asked, stop)) {
        if (name === "point") points.push(data as TradeoffPoint);
      }
      tradeoff.value = { ...tradeoff.value, value: points };
    },
  );
  keep(
    cloud,
    () => {
      const after = plan.value?.row.after;
      if (question.value === null || !current.value) return null;
      if (after === undefined) {
        cloud.value = nothing;
        return null;
      }
      const { alternatives: _, features: __, ...rest } = question.value;
      return { ...rest, after, count: kOutcomes } satisfies CloudQuestion;
    },
    async (asked, stop) => {
      cloud.value = { ...cloud.value, value: await post<Cloud>("cloud", asked, stop) };
    },
  );
  keep(
    comparison,
    () => {
      if (question.value === null || !current.value) return null;
      const { alternatives: _, ...rest } = question.value;
      return { ...rest, reasons: false } satisfies CompareQuestion;
    },
    async (asked, stop) => {
      const value = await post<Comparison>("compare", asked, stop);
      comparison.value = { ...comparison.value, value };
    },
  );
}
