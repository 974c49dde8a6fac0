// SPDX-License-Identifier: Apache-2.0
import type { Verification, Verified } from "../api/types";
import { Chip } from "../ui/chip";
import { kChecks } from "./checks";

const kVerdicts = {
  ok: ["good", "Holds"],
  note: ["warn", "Note"],
  fail: ["bad", "Fails"],
} as const;

function nameOf({ row, alternative }: Verified): string {
  if (row === null) return "The certificate";
  return alternative === null ? `Row ${row}` : `Row ${row}, plan ${alternative}`;
}

function One({ one, open }: { one: Verified; open: boolean }) {
  return (
    <details class="card verified" open={open}>
      <summary>
        <b>{nameOf(one)}</b>
        <Chip tone={one.holds ? "good" : "bad"}>{one.holds ? "Holds" : "Does not hold"}</Chip>
        {one.target_missed && <Chip tone="warn">States that its target is missed</Chip>}
      </summary>
      {one.sentence !== "" && <p>{one.sentence}</p>}
      <ul class="checks">
        {one.findings.map(({ check, verdict, text }, i) => {
          const [tone, word] = kVerdicts[verdict];
          return (
            <li key={i} class={verdict}>
              <Chip tone={tone}>{word}</Chip>
              <div>
                <b>{kChecks[check] ?? check}</b>
                <p>{text}</p>
              </div>
            </li>
          );
        })}
      </ul>
      {one.unchecked.length > 0 && (
        <p class="hint">Not checked here: {one.unchecked.join(", ")}.</p>
      )}
    </details>
  );
}

/** The verdict over a file, then every check of every certificate in it. */
export function Report({ name, result }: { name: string; result: Verification }) {
  const { certificates, holds } = result;
  const failing = certificates.filter((one) => !one.holds).length;
  const count = certificates.length;
  return (
    <section aria-label="Result of the checks">
      <div class={holds ? "card verdict good" : "card verdict bad"}>
        <h2>{holds ? "Everything that was checked holds" : "This does not hold"}</h2>
        <p>
          {name}: {count === 1 ? "one certificate" : `${count.toLocaleString("en")} certificates`}
          {failing > 0 && `, ${failing.toLocaleString("en")} of them failing`}.
        </p>
      </div>
      {certificates.map((one, i) => (
        <One key={i} one={one} open={count === 1 || !one.holds} />
      ))}
    </section>
  );
}
