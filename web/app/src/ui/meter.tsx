// SPDX-License-Identifier: Apache-2.0
import { model, plain } from "../state/session";

const short = new Intl.NumberFormat("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A probability in two digits. */
export const score = (value: number): string => short.format(value);

/** Today's score and the score after the plan, on the scale of the model. */
export function Meter({ before, after }: { before: number; after: number | undefined }) {
  const served = model.value;
  if (served === null) return null;
  const at = (value: number): string => `${100 * value}%`;
  const { threshold, wanted } = served;
  const label =
    `Score ${score(before)} today` +
    (after === undefined ? "" : `, ${score(after)} after the plan`) +
    `; the line is at ${score(threshold)}.`;
  return (
    <div class={wanted === 1 ? "meter" : "meter reversed"} role="img" aria-label={label}>
      <div class="track">
        <span class="yes" style={{ left: at(threshold) }} />
        <span class="line" style={{ left: at(threshold) }} />
        {after !== undefined && <span class="dot after" style={{ left: at(after) }} />}
        <span class="dot before" style={{ left: at(before) }} />
      </div>
      <div class="ends" aria-hidden="true">
        <span>{plain(wanted === 1 ? served.other_name : served.wanted_name)}</span>
        <span>
          <span class="key before" /> today
          {after !== undefined && (
            <>
              <span class="key after" /> with the chosen plan
            </>
          )}
        </span>
        <span>{plain(wanted === 1 ? served.wanted_name : served.other_name)}</span>
      </div>
    </div>
  );
}
