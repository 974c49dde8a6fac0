// SPDX-License-Identifier: Apache-2.0
import { plan, progress } from "../state/answer";

/** Says to screen readers what became of a question; what is on its way is not said. */
export function Announcer() {
  const { stage, problem } = progress.value;
  const words = plan.value?.words;
  let text = "";
  if (stage === "failed") text = problem;
  else if (stage === "certified" && words !== undefined) {
    text = [words.action, words.promise || words.outcome].filter((part) => part !== "").join(" ");
  }
  return (
    <p class="unseen" role="status" aria-live="polite">
      {text}
    </p>
  );
}
