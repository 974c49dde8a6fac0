// SPDX-License-Identifier: Apache-2.0
// Every feature: its value, what may become of it, and how exactly it is carried out.
import * as format from "../../../shared/format";
import type { Feature } from "../api/types";
import { known } from "../person/known";
import { capital, numeral, valueText } from "../person/values";
import { current, plan } from "../state/answer";
import * as choice from "../state/choice";
import { features, unitBehind } from "../state/session";
import { Slider } from "../ui/slider";
import { Panel } from "./panel";

const kMoves = [
  ["both", "may change"],
  ["up", "only up"],
  ["down", "only down"],
  ["fixed", "stays"],
] as const;
type Move = (typeof kMoves)[number][0];

function Movement({ feature }: { feature: Feature }) {
  const { name, label, movement } = feature;
  if (movement === "fixed" || feature.changeable_by === "nobody") {
    return <span class="hint">cannot change</span>;
  }
  const limit = choice.limits.value[name];
  const now: Move = limit?.fixed === true ? "fixed" : (limit?.direction ?? "both");
  // What the schema forbids cannot be chosen; "may change" then means its own direction.
  const moves = kMoves.filter(
    ([move]) => movement === "both" || move === "both" || move === "fixed",
  );
  const own = movement === "up" ? "only up" : "only down";
  return (
    <select
      aria-label={`${label}: direction`}
      value={now}
      onChange={(event) => {
        const move = event.currentTarget.value as Move;
        const direction = move === "up" || move === "down" ? move : undefined;
        choice.limit(name, { fixed: move === "fixed", direction } as Partial<object>);
      }}
    >
      {moves.map(([move, text]) => (
        <option key={move} value={move}>
          {move === "both" && movement !== "both" ? own : text}
        </option>
      ))}
    </select>
  );
}

function Range({ feature }: { feature: Feature }) {
  const { name, label, type, movement } = feature;
  if (type !== "numeric" || movement === "fixed") return null;
  const limit = choice.limits.value[name];
  const input = (which: "minimum" | "maximum") => (
    <input
      type="number"
      aria-label={`${label}: ${which}`}
      placeholder={which === "minimum" ? "min" : "max"}
      step={feature.step > 0 ? feature.step : "any"}
      value={limit?.[which] ?? ""}
      onChange={(event) => {
        const { value } = event.currentTarget;
        choice.limit(name, {
          [which]: value === "" ? undefined : Number(value),
        } as Partial<object>);
      }}
    />
  );
  return (
    <span class="range">
      {input("minimum")}
      <span aria-hidden="true">–</span>
      {input("maximum")}
    </span>
  );
}

/** Of a category: the levels that advice may go to. One of them stays ticked at least. */
function Levels({ feature }: { feature: Feature }) {
  const { name, label, levels, movement } = feature;
  if (movement === "fixed" || feature.changeable_by === "nobody" || levels.length < 3) return null;
  const allowed = choice.limits.value[name]?.levels ?? levels;
  const toggle = (level: string, on: boolean): void => {
    const next = levels.filter((one) => (one === level ? on : allowed.includes(one)));
    // All of them are no limit.
    choice.limit(name, {
      levels: next.length === levels.length ? undefined : next,
    } as Partial<object>);
  };
  const text =
    allowed.length === levels.length ? "any value" : `${allowed.length} of ${levels.length}`;
  return (
    <details class="levels">
      <summary aria-label={`${text}: ${label}`}>{text}</summary>
      {levels.map((level) => (
        <label key={level}>
          <input
            type="checkbox"
            checked={allowed.includes(level)}
            disabled={allowed.length === 1 && allowed.includes(level)}
            onChange={(event) => toggle(level, event.currentTarget.checked)}
          />
          {level}
        </label>
      ))}
    </details>
  );
}

/** The longest noise that the slider offers: four times the stated one, or a part of what occurs. */
function mostNoise({ type, noise, observed_minimum, observed_maximum }: Feature): number {
  if (type === "categorical") return 0.2;
  if (noise !== null && noise.value > 0) return 4 * noise.value;
  return Math.max(1e-9, ((observed_maximum ?? 1) - (observed_minimum ?? 0)) / 4);
}

function NoiseOf({ feature }: { feature: Feature }) {
  const { name, label, type } = feature;
  const value = choice.noiseOf(name);
  const most = mostNoise(feature);
  const words =
    type === "categorical" ? format.percent(value) : numeral(value) + unitBehind(feature, value);
  return (
    <Slider
      quiet
      label={type === "categorical" ? `${label}: share of wrong entries` : `${label}: noise`}
      value={value}
      min={0}
      max={most}
      step={type === "categorical" ? 0.005 : most / 40}
      text={value === 0 ? "exact" : words}
      change={(next) => choice.setNoise(name, Number(next.toPrecision(6)))}
    />
  );
}

export function FeatureTable() {
  const record = known.value?.record ?? {};
  const after = current.value ? plan.value?.row.after : undefined;
  const changed = Object.keys(choice.limits.value).length + Object.keys(choice.noise.value).length;
  return (
    <Panel
      id="features"
      title="Entries, limits and noise"
      about="Limits narrow the search for this person. Noise is how far an entry may be missed: a standard deviation in its own units, or how often a category is recorded wrongly."
    >
      <div class="table">
        <table class="features">
          <thead>
            <tr>
              <th scope="col">Entry</th>
              <th scope="col">Today</th>
              <th scope="col">Advice</th>
              <th scope="col">May change</th>
              <th scope="col">Range</th>
              <th scope="col">Noise</th>
            </tr>
          </thead>
          <tbody>
            {features.value.map((feature) => {
              const today = valueText(feature, record[feature.name]);
              const advised = after && valueText(feature, after[feature.name]);
              const moved = advised !== undefined && advised !== today;
              return (
                <tr key={feature.name} class={moved ? "moved" : ""}>
                  <th scope="row">{capital(feature.label)}</th>
                  <td data-title="Today">{today}</td>
                  <td data-title="Advice">{moved && <b>{advised}</b>}</td>
                  <td data-title="May change">
                    <Movement feature={feature} />
                  </td>
                  <td data-title="Range">
                    <Range feature={feature} />
                    <Levels feature={feature} />
                  </td>
                  <td data-title="Noise">
                    <NoiseOf feature={feature} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <div class="buttons">
        <button type="button" disabled={changed === 0} onClick={choice.forgetConditions}>
          Back to the stated limits and noise
        </button>
      </div>
    </Panel>
  );
}
