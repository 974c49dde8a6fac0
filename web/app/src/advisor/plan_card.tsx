// SPDX-License-Identifier: Apache-2.0
import type { Words } from "../api/types";
import { certificateOf } from "../state/answer";
import { chosenPlan } from "../state/choice";
import { model, plain } from "../state/session";
import { Chip } from "../ui/chip";
import { Hundred } from "../ui/hundred";
import { Steps } from "../ui/steps";

/** Plan A, B, C ... */
export const planName = (index: number): string => `Plan ${String.fromCharCode(65 + index)}`;

function Verdict({ words }: { words: Words }) {
  if (words.target_met === true) return <Chip tone="good">Certified</Chip>;
  if (words.target_met === false) return <Chip tone="warn">Misses the target</Chip>;
  return <Chip tone="calm">Being certified</Chip>;
}

interface PlanCardProps {
  words: Words;
  index: number;
  count: number;
  chosen: boolean;
  /** A newer answer is on its way. */
  stale: boolean;
}

/** One of the plans: what to change, and the promise. */
export function PlanCard({ words, index, count, chosen, stale }: PlanCardProps) {
  const cases = words.cases_of_hundred;
  return (
    <article
      class={`card plan${chosen && count > 1 ? " chosen" : ""}${stale ? " stale" : ""}`}
      aria-label={planName(index)}
    >
      <header>
        <h3>{planName(index)}</h3>
        {index === 0 && count > 1 && <Chip tone="calm">Least change</Chip>}
        <Verdict words={words} />
      </header>
      <p class="action">{words.action}</p>
      <Steps steps={words.steps} />
      {cases !== null && (
        <div class="promise">
          <Hundred cases={cases} />
          <p>
            <strong>
              Stays “{plain(model.value?.wanted_name ?? "")}” in at least{" "}
              <span class="number">{cases}</span> of 100 cases
            </strong>
            {words.promise}
          </p>
        </div>
      )}
      {words.evidence !== "" && (
        <details>
          <summary>What this rests on</summary>
          <p class="hint">{words.evidence}</p>
          <p class="hint">
            {words.outcome} {words.cost}
          </p>
          {certificateOf(index) !== undefined && (
            <p class="hint">{certificateOf(index)?.sentence}</p>
          )}
        </details>
      )}
      {count > 1 && (
        <button
          type="button"
          class="take"
          aria-pressed={chosen}
          onClick={() => (chosenPlan.value = index)}
        >
          {chosen ? "Chosen for the letter" : "Choose this plan"}
        </button>
      )}
    </article>
  );
}
