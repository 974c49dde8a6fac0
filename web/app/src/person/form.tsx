// SPDX-License-Identifier: Apache-2.0
// A person who is not among the loaded ones: typed in, or pasted as CSV.
import { useState } from "preact/hooks";
import type { Feature, RecordOf } from "../api/types";
import * as choice from "../state/choice";
import { features } from "../state/session";
import { readPasted } from "./pasted";
import { capital, tidy, typicalRecord, valueProblem } from "./values";

interface FieldProps {
  feature: Feature;
  value: string;
  /** Problems are shown once the form was sent. */
  strict: boolean;
  change: (value: string) => void;
}

function Field({ feature, value, strict, change }: FieldProps) {
  const problem = strict ? valueProblem(feature, value) : "";
  const id = `field-${feature.name}`;
  const shared = {
    id,
    "aria-invalid": problem !== "",
    "aria-describedby": problem === "" ? undefined : `${id}-problem`,
  };
  const levels = feature.levels.includes(value) ? feature.levels : [value, ...feature.levels];
  return (
    <div class="field">
      <label for={id}>
        {capital(feature.label)}
        {feature.unit !== "" && <span class="unit"> in {feature.unit}</span>}
      </label>
      {feature.type === "numeric" ? (
        <input
          {...shared}
          type="text"
          inputMode="decimal"
          autocomplete="off"
          value={value}
          onInput={(event) => change(event.currentTarget.value)}
        />
      ) : (
        <select {...shared} value={value} onChange={(event) => change(event.currentTarget.value)}>
          {levels.map((level) => (
            <option key={level} value={level}>
              {level === "" ? "Choose" : tidy(level)}
            </option>
          ))}
        </select>
      )}
      {problem !== "" && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

interface PasteProps {
  take: (record: RecordOf) => void;
}

function Paste({ take }: PasteProps) {
  const [text, setText] = useState("");
  const [row, setRow] = useState(0);
  const { records, problem, missing } = readPasted(text, features.value);
  const record = records[Math.min(row, records.length - 1)];
  return (
    <details class="paste">
      <summary>Paste CSV instead</summary>
      <label for="pasted">A line of column names, then a line per person</label>
      <textarea
        id="pasted"
        rows={4}
        spellcheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {problem !== "" && <p class="problem">{problem}</p>}
      {missing.length > 0 && (
        <p class="problem">These columns are missing: {missing.join(", ")}.</p>
      )}
      {record !== undefined && (
        <div class="buttons">
          {records.length > 1 && (
            <label>
              Line{" "}
              <select value={row} onChange={(event) => setRow(Number(event.currentTarget.value))}>
                {records.map((_, i) => (
                  <option key={i} value={i}>
                    {i + 1} of {records.length}
                  </option>
                ))}
              </select>
            </label>
          )}
          <button type="button" onClick={() => take(record)}>
            Fill in the form
          </button>
        </div>
      )}
    </details>
  );
}

interface FormProps {
  start: RecordOf | null;
  done: () => void;
}

/** The form; `start` is a record to begin with. */
export function PersonForm({ start, done }: FormProps) {
  const [record, setRecord] = useState<RecordOf>(start ?? typicalRecord(features.value));
  const [strict, setStrict] = useState(false);
  const wrong = features.value.filter(
    (feature) => valueProblem(feature, record[feature.name]) !== "",
  );
  return (
    <form
      class="person-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setStrict(true);
        const [first] = wrong;
        if (first !== undefined) {
          document.getElementById(`field-${first.name}`)?.focus();
          return;
        }
        choice.choose({ record });
        done();
      }}
    >
      <p class="hint">
        {start === null
          ? "The form starts with what is typical in the training data."
          : "The form starts with this person's values. The loaded person does not change."}{" "}
        Nothing is stored; the values go to the server on this address only.
      </p>
      <Paste take={setRecord} />
      <div class="fields">
        {features.value.map((feature) => (
          <Field
            key={feature.name}
            feature={feature}
            value={String(record[feature.name] ?? "")}
            strict={strict}
            change={(value) => setRecord({ ...record, [feature.name]: value })}
          />
        ))}
      </div>
      <div class="buttons">
        <button type="submit" class="primary">
          Ask for this person
        </button>
        <button type="button" onClick={done}>
          Cancel
        </button>
      </div>
    </form>
  );
}
