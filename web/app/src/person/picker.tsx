// SPDX-License-Identifier: Apache-2.0
// Whom the advisor talks to: found among the loaded people, or new.
import { useState } from "preact/hooks";
import type { PersonView } from "../api/types";
import * as choice from "../state/choice";
import { cursors, decision, find, people, problem, search } from "../state/people";
import { features } from "../state/session";
import { score } from "../ui/meter";
import { PersonForm } from "./form";
import { valueText } from "./values";

/** A few values to recognise somebody by: such as are clear without their labels. */
function summary({ record }: PersonView): string {
  const numbers = features.value.filter(({ type, unit }) => type === "numeric" && unit !== "");
  const words = features.value.filter(
    ({ type, levels }) =>
      type === "categorical" && levels.length > 4 && !levels.some((level) => /\d/.test(level)),
  );
  return [...numbers.slice(0, 2), ...words.slice(-1)]
    .map((feature) => valueText(feature, record[feature.name]))
    .join(" · ");
}

function Found() {
  const found = people.value;
  if (problem.value !== "") return <p class="problem">{problem.value}</p>;
  if (found === null) return <p class="hint">Loading the people …</p>;
  if (found.total === 0) {
    return <p class="hint">The server has no people to list. Enter a new applicant.</p>;
  }
  return (
    <>
      <p class="hint" role="status">
        {found.matching === 0
          ? "Nobody matches. The search looks at row numbers and at all values."
          : `${found.matching.toLocaleString("en")} of ${found.total.toLocaleString("en")} people match${decision.value === "rejected" ? " and are turned down today" : ""}.`}
      </p>
      <ul class="found">
        {found.people.map((one) => (
          <li key={one.row}>
            <button type="button" onClick={() => choice.choose({ row: one.row })}>
              <b>Applicant {one.row}</b>
              <span>{summary(one)}</span>
              <span class="number">{one.score === null ? "" : `score ${score(one.score)}`}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.next !== null && (
        <button
          type="button"
          onClick={() => (cursors.value = [...cursors.value, found.next ?? ""])}
        >
          Show the next
        </button>
      )}
    </>
  );
}

/** Shown while nobody is chosen. */
export function Picker() {
  const [typing, setTyping] = useState(false);
  if (typing) {
    return (
      <section class="card picker" aria-label="A new applicant">
        <h2>A new applicant</h2>
        <PersonForm start={null} done={() => setTyping(false)} />
      </section>
    );
  }
  return (
    <section class="card picker" aria-label="Choose an applicant">
      <h2>Whom do you advise?</h2>
      <div class="search">
        <label class="unseen" for="find">
          Find an applicant by row number or value
        </label>
        <input
          id="find"
          type="search"
          placeholder="Row number or value, such as 11 or business"
          value={search.value}
          onInput={(event) => {
            const { value } = event.currentTarget;
            find(() => (search.value = value));
          }}
        />
        <button type="button" onClick={() => setTyping(true)}>
          Enter a new applicant
        </button>
      </div>
      <Found />
    </section>
  );
}
