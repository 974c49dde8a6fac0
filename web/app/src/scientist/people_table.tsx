// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { PersonForm } from "../person/form";
import { capital, valueText } from "../person/values";
import * as choice from "../state/choice";
import * as state from "../state/people";
import { featureByName, features } from "../state/session";
import { score } from "../ui/meter";

const kDecisions: readonly (readonly [state.Decision, string])[] = [
  ["rejected", "Turned down"],
  ["accepted", "Accepted"],
  ["", "Everybody"],
];

/** A column head that sorts; pressed again, it reverses the order. */
function Head({ by, label, number }: { by: string; label: string; number?: boolean }) {
  const sorted = state.sort.value.replace(/^-/, "") === by;
  const down = state.sort.value.startsWith("-");
  return (
    <th
      scope="col"
      class={number ? "number" : ""}
      aria-sort={sorted ? (down ? "descending" : "ascending") : "none"}
    >
      <button
        type="button"
        onClick={() => state.find(() => (state.sort.value = sorted && !down ? `-${by}` : by))}
      >
        {label}
        <span aria-hidden="true">{sorted ? (down ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}

function Filters({ column, setColumn }: { column: string; setColumn: (name: string) => void }) {
  return (
    <div class="filters">
      <label class="unseen" for="search-people">
        Search all values
      </label>
      <input
        id="search-people"
        type="search"
        placeholder="Search all values"
        value={state.search.value}
        onInput={(event) => {
          const { value } = event.currentTarget;
          state.find(() => (state.search.value = value));
        }}
      />
      <label>
        <span>Show</span>
        <select
          value={state.decision.value}
          onChange={(event) => {
            const value = event.currentTarget.value as state.Decision;
            state.find(() => (state.decision.value = value));
          }}
        >
          {kDecisions.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Column</span>
        <select value={column} onChange={(event) => setColumn(event.currentTarget.value)}>
          {features.value.map(({ name, label }) => (
            <option key={name} value={name}>
              {capital(label)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Pager() {
  const found = state.people.value;
  if (found === null) return null;
  const page = state.cursors.value.length;
  return (
    <div class="pager">
      <button
        type="button"
        disabled={page === 0}
        onClick={() => (state.cursors.value = state.cursors.value.slice(0, -1))}
      >
        Previous
      </button>
      <span role="status">
        {found.matching.toLocaleString("en")} of {found.total.toLocaleString("en")} people
      </span>
      <button
        type="button"
        disabled={found.next === null}
        onClick={() => {
          if (found.next !== null) state.cursors.value = [...state.cursors.value, found.next];
        }}
      >
        Next
      </button>
    </div>
  );
}

/** Opens a person. Where the answer stands below the table, it comes into sight. */
function open(row: number): void {
  choice.choose({ row });
  requestAnimationFrame(() => {
    const bench = document.querySelector(".bench");
    const below = (bench?.getBoundingClientRect().top ?? 0) > window.innerHeight / 2;
    if (below) bench?.scrollIntoView({ block: "start" });
  });
}

/** The people with search and sort; a row opens the person. */
export function PeopleTable() {
  const first = features.value.find((feature) => feature.type === "numeric" && feature.unit !== "");
  const [column, setColumn] = useState(first?.name ?? features.value[0]?.name ?? "");
  const [typing, setTyping] = useState(false);
  const feature = featureByName.value.get(column);
  const who = choice.subject.value;
  if (typing) {
    return (
      <aside class="card people" aria-label="A new person">
        <h2>A new person</h2>
        <PersonForm start={null} done={() => setTyping(false)} />
      </aside>
    );
  }
  return (
    <aside class="card people" aria-label="People">
      <header>
        <h2>People</h2>
        <button type="button" onClick={() => setTyping(true)}>
          New person
        </button>
      </header>
      <Filters column={column} setColumn={setColumn} />
      {state.problem.value !== "" && <p class="problem">{state.problem.value}</p>}
      <table>
        <thead>
          <tr>
            <Head by="row" label="Row" />
            <Head by="score" label="Score" number />
            {feature !== undefined && (
              <Head
                by={column}
                label={capital(feature.label)}
                number={feature.type === "numeric"}
              />
            )}
          </tr>
        </thead>
        <tbody>
          {(state.people.value?.people ?? []).map((one) => {
            const chosen = who !== null && !choice.isTyped(who) && who.row === one.row;
            return (
              <tr key={one.row} class={chosen ? "chosen" : ""}>
                <th scope="row">
                  <button
                    type="button"
                    aria-current={chosen ? "true" : undefined}
                    aria-label={`Open row ${one.row}`}
                    onClick={() => open(one.row)}
                  >
                    {one.row}
                  </button>
                </th>
                <td class="number">{one.score === null ? "–" : score(one.score)}</td>
                {feature !== undefined && (
                  <td class={feature.type === "numeric" ? "number" : ""}>
                    {valueText(feature, one.record[column])}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      <Pager />
    </aside>
  );
}
