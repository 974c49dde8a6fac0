// SPDX-License-Identifier: Apache-2.0
// The advisor's view, to look at together with the applicant: one column, from the person to the letter.
import { useState } from "preact/hooks";
import type { Words } from "../api/types";
import { PersonForm } from "../person/form";
import { known } from "../person/known";
import { Picker } from "../person/picker";
import { plan, progress } from "../state/answer";
import * as choice from "../state/choice";
import { Exports } from "../ui/exports";
import { AlternativesSlider, ConfidenceSlider, TargetSlider } from "../ui/promise_sliders";
import { Fixed } from "./fixed";
import { Letter } from "./letter";
import { PlanCard } from "./plan_card";

import { Why } from "./why";

/** A preview in the shape of a plan that nobody has certified yet. */
function previewWords(): Words | null {
  const { preview } = progress.value;
  if (preview === null || preview.steps.length === 0) return null;
  return {
    headline: preview.headline,
    outcome: "",
    action: preview.action,
    promise: "",
    evidence: "",
    cost: "",
    steps: preview.steps,
    cases_of_hundred: null,
    target_met: null,
    obstacle: [],
  };
}

function NoPlan({ words, status }: { words: Words; status: string }) {
  if (status === "already") {
    return (
      <section class="card">
        <h2>No change is needed</h2>
        <p>{words.outcome || words.headline}</p>
      </section>
    );
  }
  return (
    <section class="card">
      <h2>No plan can be promised</h2>
      <p>{words.outcome}</p>
      {words.obstacle.length > 0 && (
        <ul class="obstacle">
          {words.obstacle.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {progress.value.answer?.reasons_pending && <p class="hint">Looking for the reasons …</p>}
    </section>
  );
}

function Plans() {
  const { stage, answer, problem } = progress.value;
  const pending = stage === "asking" || stage === "preview";
  const preview = stage === "preview" ? previewWords() : null;
  if (problem !== "") return <p class="card problem">{problem}</p>;
  if (answer === null && preview === null) {
    return stage === "failed" ? null : <p class="card hint">Looking for plans …</p>;
  }
  const words = answer?.words ?? [];
  const [first] = words;
  const status = answer?.rows[0]?.status ?? "";
  if (preview === null && first !== undefined && first.steps.length === 0) {
    return <NoPlan words={first} status={status} />;
  }
  const shown = preview === null ? words : [preview, ...words.slice(1)];
  return (
    <section aria-label="Plans">
      <h2>{shown.length > 1 ? "Plans to choose from" : "The plan"}</h2>
      <div class="plans">
        {shown.map((one, i) => (
          <PlanCard
            key={i}
            words={one}
            index={i}
            count={shown.length}
            chosen={i === (plan.value?.index ?? 0)}
            stale={pending && one !== preview}
          />
        ))}
      </div>
    </section>
  );
}

export function Advisor() {
  const [editing, setEditing] = useState(false);
  const who = choice.subject.value;
  if (who === null) {
    return (
      <main class="advisor">
        <Picker />
      </main>
    );
  }
  if (editing) {
    return (
      <main class="advisor">
        <section class="card picker">
          <h2>Change the values</h2>
          <PersonForm start={known.value?.record ?? null} done={() => setEditing(false)} />
        </section>
      </main>
    );
  }
  return (
    <main class="advisor">
      <div class="buttons noprint">
        <button type="button" onClick={() => choice.choose(null)}>
          ← Choose another person
        </button>
        <button type="button" disabled={known.value === null} onClick={() => setEditing(true)}>
          Change the values
        </button>
      </div>
      <Why title={choice.nameOf(who)} />
      <Plans />
      <details class="card folded noprint">
        <summary>Change the conditions</summary>
        <TargetSlider />
        <ConfidenceSlider />
        <AlternativesSlider />
        <Fixed />
      </details>
      <section class="card take-along noprint" aria-label="To take along">
        <h2>To take along</h2>
        <Letter />
        <Exports />
      </section>
    </main>
  );
}
