// SPDX-License-Identifier: Apache-2.0
import { Details } from "../person/details";
import { decisionName, known } from "../person/known";
import { current, plan, progress } from "../state/answer";
import { model, plain } from "../state/session";
import { Chip } from "../ui/chip";
import { Meter, score } from "../ui/meter";

/** What the plans would change: what stands between this person and the wanted answer. */
function Levers() {
  const { answer } = progress.value;
  const labels = new Map(
    (answer?.words ?? []).flatMap(({ steps }) =>
      steps.map((step) => [step.feature, step.label] as const),
    ),
  );
  if (labels.size === 0) return null;
  return (
    <p>
      The plans below change{" "}
      {[...labels.values()].map((label, i, all) => (
        <span key={label}>
          {i > 0 && (i === all.length - 1 ? " and " : ", ")}
          <b>{label}</b>
        </span>
      ))}
      . The other entries can stay as they are.
    </p>
  );
}

/** Who it is, what the answer is today, and why. */
export function Why({ title }: { title: string }) {
  const person = known.value;
  const served = model.value;
  if (person === null || served === null) {
    return (
      <section class="card">
        <h2>{title}</h2>
        <p class="hint">Loading …</p>
      </section>
    );
  }
  const { accepted, record } = person;
  const one = plain(served.wanted === 1 ? served.wanted_name : served.other_name);
  return (
    <section class="card why" aria-label="The person and the answer today">
      <header>
        <h2>{title}</h2>
        {accepted !== null && (
          <Chip tone={accepted ? "good" : "bad"}>
            Answer today: {plain(decisionName(accepted))}
          </Chip>
        )}
      </header>
      {person.score !== null && (
        <>
          <p>
            The model gives this person a score of <b class="number">{score(person.score)}</b>. The
            answer “{one}” needs more than <b class="number">{score(served.threshold)}</b>.
          </p>
          <Meter before={person.score} after={current.value ? plan.value?.row.score : undefined} />
        </>
      )}
      {accepted !== true && <Levers />}
      <details>
        <summary>All entries of this person</summary>
        <Details record={record} />
      </details>
    </section>
  );
}
