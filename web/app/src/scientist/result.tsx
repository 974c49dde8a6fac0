// SPDX-License-Identifier: Apache-2.0
import * as format from "../../../shared/format";
import { planName } from "../advisor/plan_card";
import { certificateOf, plan, progress, type Progress } from "../state/answer";
import * as choice from "../state/choice";
import { Chip, type Tone } from "../ui/chip";
import { score } from "../ui/meter";
import { Steps } from "../ui/steps";

const kStatuses: Record<string, readonly [Tone, string]> = {
  found: ["good", "Advice found"],
  already: ["good", "Accepted already"],
  unmet: ["warn", "Target missed"],
  undecided: ["warn", "Undecided: too few samples"],
  infeasible: ["bad", "No advice exists"],
  error: ["bad", "Cannot be read"],
};

function State({ stage }: Progress) {
  if (stage === "asking") return <Chip tone="calm">Searching …</Chip>;
  if (stage === "preview") return <Chip tone="calm">Preview, being certified …</Chip>;
  if (stage === "failed") return <Chip tone="bad">No answer</Chip>;
  const status = plan.value?.row.status ?? "";
  const [tone, text] = kStatuses[status] ?? ["calm", status];
  return <Chip tone={tone}>{text}</Chip>;
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Facts() {
  const shown = plan.value;
  if (shown === null) return null;
  const { row, words, index } = shown;
  const certificate = certificateOf(index);
  const cost = words.steps.reduce((sum, step) => sum + step.price, 0);
  return (
    <dl class="facts">
      {row.score_before !== undefined && (
        <Fact
          name="Score"
          value={
            score(row.score_before) + (row.score === undefined ? "" : ` → ${score(row.score)}`)
          }
        />
      )}
      {words.steps.length > 0 && <Fact name="Cost" value={format.significant(cost)} />}
      {certificate !== undefined && (
        <>
          <Fact name="Fails at most" value={format.rate(certificate.upper)} />
          <Fact name="Confidence" value={format.target(certificate.confidence)} />
        </>
      )}
    </dl>
  );
}

/** How long it took until what changed was on the screen. */
function Timing({ previewTime, certifiedTime }: Progress) {
  return (
    <p class="hint timing">
      Preview after <output class="preview">{format.duration(previewTime)}</output>, certificate
      after <output class="certified">{format.duration(certifiedTime)}</output>
    </p>
  );
}

/** The alternatives to look at. */
function Choices() {
  const { answer } = progress.value;
  if (answer === null || answer.rows.length < 2) return null;
  return (
    <div class="choices" role="group" aria-label="Plans">
      {answer.rows.map((_, i) => (
        <button
          key={i}
          type="button"
          aria-pressed={plan.value?.index === i}
          onClick={() => (choice.chosenPlan.value = i)}
        >
          {planName(i)}
        </button>
      ))}
    </div>
  );
}

export function Result() {
  const who = choice.subject.value;
  const state = progress.value;
  if (who === null) return null;
  const preview = state.stage === "preview" ? state.preview : null;
  const words = plan.value?.words;
  const steps = preview?.steps ?? words?.steps ?? [];
  const command = state.answer?.settings.command;
  return (
    <section class="card panel result" aria-label="Answer">
      <header>
        <h2>{choice.nameOf(who)}</h2>
        <State {...state} />
        <Choices />
      </header>
      {state.problem !== "" && <p class="problem">{state.problem}</p>}
      <div class="facts-line">
        <Facts />
        <Timing {...state} />
      </div>
      {steps.length > 0 && <Steps steps={steps} />}
      {words !== undefined && (
        <div class={preview === null ? "" : "stale"}>
          <p>{words.promise !== "" ? words.promise : words.outcome || words.headline}</p>
          {words.obstacle.length > 0 && (
            <ul class="obstacle">
              {words.obstacle.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          )}
          {words.evidence !== "" && <p class="hint">{words.evidence}</p>}
        </div>
      )}
      {(state.answer?.warnings ?? []).map((warning) => (
        <p key={warning} class="hint">
          {warning}
        </p>
      ))}
      {typeof command === "string" && (
        <details>
          <summary>The same on the command line</summary>
          <code>{command}</code>
        </details>
      )}
    </section>
  );
}
