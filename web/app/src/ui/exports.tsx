// SPDX-License-Identifier: Apache-2.0
// What can be taken along: the certificate, the rows as CSV or JSON lines, a link.
import { useState } from "preact/hooks";
import { saveFile } from "../../../shared/download";
import { postText } from "../api/client";
import { certificateOf, current, plan } from "../state/answer";
import * as choice from "../state/choice";
import { addressOf } from "../state/link";
import { failed } from "../state/session";

function fileName(end: string): string {
  const who = choice.subject.value;
  const name = who === null || choice.isTyped(who) ? "new-applicant" : `applicant-${who.row}`;
  return `${name}${end}`;
}

/** Saves what the server answers in another form. The same question has the same answer. */
async function saveAs(accept: string, end: string): Promise<string> {
  try {
    const text = await postText("explain", choice.question.value, accept);
    saveFile(fileName(end), accept, text);
    return "";
  } catch (error) {
    if (failed(error)) return "";
    return error instanceof Error ? error.message : String(error);
  }
}

/** Copies an address; where the browser forbids that, it is shown. */
async function copyLink(personal: boolean): Promise<string> {
  const address = addressOf(personal);
  try {
    await navigator.clipboard.writeText(address);
    return personal
      ? "Copied, with the person's values in it."
      : "Copied. It holds no personal values.";
  } catch {
    return address;
  }
}

export function Exports() {
  const [message, setMessage] = useState("");
  const index = plan.value?.index ?? 0;
  const certificate = certificateOf(index);
  const ready = current.value && plan.value !== null;
  const say = (work: Promise<string>): void => void work.then(setMessage);
  const saveCertificate = (): void => {
    if (certificate === undefined) return;
    const text = `${JSON.stringify(certificate.certificate, null, 2)}\n`;
    saveFile(fileName(`-plan-${index + 1}.certificate.json`), "application/json", text);
    setMessage("Anyone with the model can check it: the auditor's view, or croco verify.");
  };
  return (
    <div class="exports">
      <div class="buttons">
        <button type="button" disabled={!ready || !certificate} onClick={saveCertificate}>
          Certificate (JSON)
        </button>
        <button type="button" disabled={!ready} onClick={() => say(saveAs("text/csv", ".csv"))}>
          Table (CSV)
        </button>
        <button
          type="button"
          disabled={!ready}
          onClick={() => say(saveAs("application/x-ndjson", ".jsonl"))}
        >
          Report (JSONL)
        </button>
        <button type="button" onClick={() => say(copyLink(false))}>
          Copy link
        </button>
        <button type="button" onClick={() => say(copyLink(true))}>
          Copy link with values
        </button>
      </div>
      <p class="hint" role="status">
        {message}
      </p>
    </div>
  );
}
