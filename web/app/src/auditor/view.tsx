// SPDX-License-Identifier: Apache-2.0
// The auditor's view: a certificate goes in, every check comes out.
import { useRef, useState } from "preact/hooks";
import { isAbort, post } from "../api/client";
import type { Verification, VerifyQuestion } from "../api/types";
import { Latest } from "../state/latest";
import { failed } from "../state/session";
import { kLimits } from "./checks";
import { Report } from "./report";

const latest = new Latest(0);

/** A seed that nobody could know before. */
function freshSeed(): number {
  const [number = 1] = crypto.getRandomValues(new Uint32Array(1));
  return number;
}

interface Source {
  name: string;
  text: string;
}

interface DropProps {
  take: (source: Source) => void;
}

function Drop({ take }: DropProps) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [pasted, setPasted] = useState("");
  const read = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) take({ name: file.name, text: await file.text() });
  };
  return (
    <div
      class={over ? "drop over" : "drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void read(event.dataTransfer?.files[0]);
      }}
    >
      <p>
        <b>Drop a certificate here</b>
        <span class="hint">a .json certificate, or a .jsonl report with several</span>
      </p>
      <input
        ref={input}
        id="certificate-file"
        type="file"
        accept=".json,.jsonl,.ndjson,application/json"
        class="unseen"
        aria-label="Certificate file"
        onChange={(event) => {
          void read(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
      <button type="button" class="primary" onClick={() => input.current?.click()}>
        Choose a file
      </button>
      <details>
        <summary>Paste the text instead</summary>
        <label class="unseen" for="certificate-text">
          Text of the certificate
        </label>
        <textarea
          id="certificate-text"
          rows={5}
          spellcheck={false}
          value={pasted}
          onInput={(event) => setPasted(event.currentTarget.value)}
        />
        <div class="buttons">
          <button
            type="button"
            disabled={pasted.trim().length < 2}
            onClick={() => take({ name: "Pasted text", text: pasted })}
          >
            Check the text
          </button>
        </div>
      </details>
    </div>
  );
}

/** What the auditor sees, and the file that it is about. */
export function Auditor() {
  const [seed, setSeed] = useState(freshSeed);
  const [source, setSource] = useState<Source | null>(null);
  const [result, setResult] = useState<Verification | null>(null);
  const [state, setState] = useState<"" | "checking" | string>("");
  const check = (what: Source, fresh: number): void => {
    setSource(what);
    setState("checking");
    setResult(null);
    latest.run(async (stop) => {
      try {
        const asked: VerifyQuestion = { text: what.text, seed: fresh };
        setResult(await post<Verification>("verify", asked, stop));
        setState("");
      } catch (error) {
        if (isAbort(error)) return;
        const gone = failed(error);
        setState(gone ? "" : error instanceof Error ? error.message : String(error));
      }
    });
  };
  return (
    <main class="auditor">
      <section class="card" aria-label="Certificate to check">
        <h2>Check a certificate</h2>
        <p>
          The server takes the certificate apart, makes its samples again and takes fresh ones. It
          needs the model that the certificate is about.
        </p>
        <Drop take={(what) => check(what, seed)} />
        <div class="seed">
          <label for="seed">Seed of the fresh samples</label>
          <input
            id="seed"
            type="number"
            min={0}
            max={Number.MAX_SAFE_INTEGER}
            step={1}
            value={seed}
            onChange={(event) =>
              setSeed(Math.max(0, Math.floor(event.currentTarget.valueAsNumber || 0)))
            }
          />
          <button type="button" onClick={() => setSeed(freshSeed())}>
            Another one
          </button>
          <button
            type="button"
            disabled={source === null}
            onClick={() => source !== null && check(source, seed)}
          >
            Check again
          </button>
        </div>
        <p class="hint">
          Whoever issued the certificate could not know this number. Good luck with chosen samples
          is found out by it.
        </p>
      </section>
      <div role="status" aria-live="polite">
        {state === "checking" && <p class="card hint">Checking {source?.name} …</p>}
        {state !== "" && state !== "checking" && <p class="card problem">{state}</p>}
        {result !== null && source !== null && <Report name={source.name} result={result} />}
      </div>
      <section class="card" aria-label="What a certificate does not say">
        <h2>What a certificate does not say</h2>
        <ul class="limits">
          {kLimits.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        {result !== null && <p class="hint">{result.scope}</p>}
      </section>
    </main>
  );
}
