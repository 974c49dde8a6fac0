// SPDX-License-Identifier: Apache-2.0
import type { Step } from "../api/types";
import { capital, tidy } from "../person/values";

/** How exactly a step has to be carried out. */
function care({ type, missed_by }: Step): string {
  if (missed_by === null) return "has to be done exactly";
  return type === "categorical" ? `may fail in ${missed_by}` : `may be missed by ${missed_by}`;
}

/** The changes of a plan, from what is to what should be. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <ul class="steps">
      {steps.map((step) => (
        <li key={step.feature}>
          <span class="what">{capital(step.label)}</span>
          <span class="move">
            <span class="from">
              <span class="unseen">from </span>
              {tidy(step.from)}
            </span>
            <span class="arrow" aria-hidden="true">
              →
            </span>
            <span class="to">
              <span class="unseen">to </span>
              {tidy(step.to)}
            </span>
          </span>
          <span class="care">{care(step)}</span>
        </li>
      ))}
    </ul>
  );
}
