// SPDX-License-Identifier: Apache-2.0
// A thousand noisy outcomes of the plan: which of them fail, and what made them fail.
import { useState } from "preact/hooks";
import { writeCsv } from "../../../shared/csv";
import { saveFile } from "../../../shared/download";
import * as format from "../../../shared/format";
import type { Cloud } from "../api/types";
import { capital, numeral } from "../person/values";
import { cloud } from "../state/more";
import { Chart } from "../ui/chart";
import { drawCloud } from "./cloud_chart";
import { Panel } from "./panel";

/** The feature that the failing outcomes have most in common. */
function worst({ features }: Cloud): number {
  return features.reduce(
    (best, feature, i) =>
      (feature.failed_share ?? 0) > (features[best]?.failed_share ?? 0) ? i : best,
    0,
  );
}

function miss(feature: Cloud["features"][number]): string {
  const { type, failed_mean, unit, deviates } = feature;
  if (type === "categorical") return `recorded wrongly in ${format.whole(deviates)} outcomes`;
  if (failed_mean === null) return "";
  const side = failed_mean < 0 ? "below" : "above";
  return `${numeral(Math.abs(+failed_mean.toPrecision(3)))} ${unit} ${side} the advice`.replace(
    "  ",
    " ",
  );
}

function Blame({ shown }: { shown: Cloud }) {
  const culprits = shown.features.map(
    (_, i) => shown.outcomes.filter(({ culprits }) => culprits.includes(i)).length,
  );
  const order = shown.features
    .map((_, i) => i)
    .sort((a, b) => (culprits[b] ?? 0) - (culprits[a] ?? 0));
  const alone = shown.outcomes.filter(({ ok, culprits }) => !ok && culprits.length === 0).length;
  return (
    <>
      <div class="table">
        <table class="blame">
          <caption>What made {format.whole(shown.failed)} outcomes fail</caption>
          <thead>
            <tr>
              <th scope="col">Entry</th>
              <th scope="col" class="number">
                Saved if exact
              </th>
              <th scope="col">In failing outcomes, on average</th>
            </tr>
          </thead>
          <tbody>
            {order.map((i) => {
              const feature = shown.features[i];
              if (feature === undefined) return null;
              return (
                <tr key={feature.feature}>
                  <th scope="row">{capital(feature.label)}</th>
                  <td class="number" data-title="Saved if exact">
                    {format.whole(culprits[i])}
                  </td>
                  <td data-title="On average">{miss(feature)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p class="hint">
        “Saved if exact” counts failing outcomes that would have passed with this one entry done
        exactly. {format.whole(alone)} fail for several reasons together.
      </p>
    </>
  );
}

function save(shown: Cloud): void {
  const columns = ["ok", "score", ...shown.features.map(({ feature }) => feature)];
  const rows = shown.outcomes.map(({ ok, score, values }) => [ok ? 1 : 0, score, ...values]);
  saveFile("outcomes.csv", "text/csv", writeCsv({ columns, rows }));
}

export function CloudPanel() {
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = cloud.value.value;
  const place = shown?.features.findIndex(({ feature }) => feature === chosen) ?? -1;
  const which = shown === null ? 0 : place === -1 ? worst(shown) : place;
  return (
    <Panel
      id="cloud"
      title="A thousand noisy outcomes"
      about="Each dot is one way in which the plan might be carried out. A cross fails: its score is on the wrong side of the dashed line. The vertical line is the advice."
      part={cloud.value}
    >
      {shown === null ? (
        <p class="hint">{cloud.value.loading ? "" : "There is no advice to try out."}</p>
      ) : (
        <>
          <p>{shown.sentence}</p>
          <div class="buttons">
            <label>
              Across{" "}
              <select
                value={shown.features[which]?.feature ?? ""}
                onChange={(event) => setChosen(event.currentTarget.value)}
              >
                {shown.features.map(({ feature, label }) => (
                  <option key={feature} value={feature}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
            <button type="button" onClick={() => save(shown)}>
              Outcomes (CSV)
            </button>
          </div>
          <Chart
            label={`Noisy outcomes by ${shown.features[which]?.label ?? ""} and score. ${shown.sentence}`}
            draw={(width) => drawCloud(shown, which, width)}
            inputs={[shown, which]}
          />
          {shown.failed > 0 && <Blame shown={shown} />}
        </>
      )}
    </Panel>
  );
}
