// SPDX-License-Identifier: Apache-2.0
// A letter to the applicant: seen before it is printed. Names that are typed here leave the page on
// paper only.
import { useRef, useState } from "preact/hooks";
import { saveFile } from "../../../shared/download";
import { postText } from "../api/client";
import { certificateOf, plan, progress } from "../state/answer";
import * as choice from "../state/choice";
import { failed, model, plain } from "../state/session";
import { Steps } from "../ui/steps";

function Body({ name, sender }: { name: string; sender: string }) {
  const shown = plan.value;
  const served = model.value;
  if (shown === null || served === null) return null;
  const { words, index } = shown;
  const date = new Date().toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
  });
  return (
    <div class="paper">
      <p class="date">{date}</p>
      {name !== "" && <p>To {name}</p>}
      <h3>What you can change</h3>
      <p>
        Today the answer to your application is <b>{plain(served.other_name)}</b>. The following
        change turns it into <b>{plain(served.wanted_name)}</b>:
      </p>
      <Steps steps={words.steps} />
      <p class="action">{words.action}</p>
      {words.promise !== "" && (
        <>
          <h3>What we promise</h3>
          <p>{words.promise}</p>
        </>
      )}
      <h3>What this does not say</h3>
      <p>
        The promise is about the model in use today. It does not cover another model, larger
        deviations than the ones above, or other changes in your situation. It is no promise of a
        contract.
      </p>
      {sender !== "" && <p class="sender">{sender}</p>}
      <p class="reference">
        {certificateOf(index)?.sentence} Model {served.fingerprint.slice(0, 12)}, {served.program}.
      </p>
    </div>
  );
}

export function Letter() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [name, setName] = useState("");
  const [sender, setSender] = useState("");
  const [problem, setProblem] = useState("");
  const words = plan.value?.words;
  if (words === undefined || words.steps.length === 0) return null;
  const save = async (): Promise<void> => {
    try {
      const text = await postText("letter", choice.question.value, "text/html");
      saveFile("letter.html", "text/html", text);
    } catch (error) {
      if (!failed(error)) setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <button
        type="button"
        class="primary"
        disabled={progress.value.stage !== "certified"}
        onClick={() => dialog.current?.showModal()}
      >
        Letter to print
      </button>
      <dialog ref={dialog} class="letter" aria-labelledby="letter-title">
        <header>
          <h2 id="letter-title">Letter to the applicant</h2>
          <div class="fields">
            <div class="field">
              <label for="letter-name">Name of the applicant</label>
              <input
                id="letter-name"
                autocomplete="off"
                value={name}
                onInput={(event) => setName(event.currentTarget.value)}
              />
            </div>
            <div class="field">
              <label for="letter-sender">Your name</label>
              <input
                id="letter-sender"
                autocomplete="off"
                value={sender}
                onInput={(event) => setSender(event.currentTarget.value)}
              />
            </div>
          </div>
          <div class="buttons">
            <button type="button" class="primary" onClick={() => window.print()}>
              Print
            </button>
            <button type="button" onClick={() => void save()}>
              Save all plans (HTML)
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </div>
          {problem !== "" && <p class="problem">{problem}</p>}
        </header>
        <Body name={name} sender={sender} />
      </dialog>
    </>
  );
}
