// SPDX-License-Identifier: Apache-2.0
// The data scientist's view: the people at the left, and everything about one of them beside it.
import { useState } from "preact/hooks";
import { PersonForm } from "../person/form";
import { known } from "../person/known";
import { subject } from "../state/choice";
import { Exports } from "../ui/exports";
import { AlternativesSlider, ConfidenceSlider } from "../ui/promise_sliders";
import { CloudPanel } from "./cloud";
import { FeatureTable } from "./feature_table";
import { Methods } from "./methods";
import { Panel } from "./panel";
import { PeopleTable } from "./people_table";
import { Result } from "./result";
import { TradeOff } from "./trade_off";

function Bench() {
  const [editing, setEditing] = useState(false);
  if (editing) {
    return (
      <Panel id="edit" title="Change the values">
        <PersonForm start={known.value?.record ?? null} done={() => setEditing(false)} />
      </Panel>
    );
  }
  return (
    <>
      <Result />
      <div class="pair">
        <TradeOff />
        <Panel id="conditions" title="Conditions">
          <ConfidenceSlider />
          <AlternativesSlider />
          <div class="buttons">
            <button type="button" disabled={known.value === null} onClick={() => setEditing(true)}>
              Change the values
            </button>
          </div>
          <h3>To take along</h3>
          <Exports />
        </Panel>
      </div>
      <FeatureTable />
      <CloudPanel />
      <Methods />
    </>
  );
}

export function Scientist() {
  return (
    <main class="scientist">
      <PeopleTable />
      <div class="bench">
        {subject.value === null ? (
          <Panel id="nobody" title="Choose a person">
            <p>
              Open a row of the table. You then see the advice, what a stronger promise costs, how
              noise makes it fail, and what other methods would say.
            </p>
          </Panel>
        ) : (
          <Bench />
        )}
      </div>
    </main>
  );
}
