// SPDX-License-Identifier: Apache-2.0
import * as format from "../../../shared/format";
import type { Compared } from "../api/types";
import { comparison } from "../state/more";
import { Chip } from "../ui/chip";
import { Panel } from "./panel";

const kMethods: Record<string, readonly [string, string]> = {
  certified: ["Certified", "the cheapest change found whose failure rate is certified"],
  croco: ["CROCO", "a bound on the soft rate decides (Guyomard et al.)"],
  probe: ["PROBE", "a first-order estimate of the rate (Pawelczyk et al., 2023)"],
  wachter: ["Wachter", "the nearest change, without regard to noise (2018)"],
};

function Verdict({ one, target }: { one: Compared; target: number }) {
  if (one.upper === null) return <Chip tone="calm">No advice</Chip>;
  return one.upper <= target ? (
    <Chip tone="good">Meets the target</Chip>
  ) : (
    <Chip tone="bad">Misses it</Chip>
  );
}

/** A bound, with the target on the same scale. */
function Bar({ upper, target, most }: { upper: number; target: number; most: number }) {
  return (
    <span class="bar" aria-hidden="true">
      <span
        class={upper <= target ? "fill good" : "fill bad"}
        style={{ width: `${(100 * upper) / most}%` }}
      />
      <span class="goal" style={{ left: `${(100 * target) / most}%` }} />
    </span>
  );
}

export function Methods() {
  const shown = comparison.value.value;
  const bounds = shown?.methods.map((one) => one.upper ?? 0) ?? [];
  const most = Math.max(2 * (shown?.target ?? 0.5), ...bounds);
  return (
    <Panel
      id="methods"
      title="Four methods side by side"
      about="Every method answers the same question. Each answer is then certified on samples that no method has seen. The mark on the bar is the target."
      part={comparison.value}
    >
      {shown !== null && (
        <div class="table">
          <table class="methods">
            <thead>
              <tr>
                <th scope="col">Method</th>
                <th scope="col">Fails at most</th>
                <th scope="col" class="number">
                  Estimate
                </th>
                <th scope="col" class="number">
                  Cost
                </th>
                <th scope="col">Advice</th>
              </tr>
            </thead>
            <tbody>
              {shown.methods.map((one) => {
                const [name, about] = kMethods[one.method] ?? [one.method, ""];
                return (
                  <tr key={one.method}>
                    <th scope="row">
                      {name}
                      <span class="hint">{about}</span>
                    </th>
                    <td data-title="Fails at most">
                      {one.upper !== null && (
                        <>
                          <b class="number">{format.rate(one.upper)}</b>
                          <Bar upper={one.upper} target={shown.target} most={most} />
                        </>
                      )}
                      <Verdict one={one} target={shown.target} />
                    </td>
                    <td class="number" data-title="Estimate">
                      {format.rate(one.rate)}
                    </td>
                    <td class="number" data-title="Cost">
                      {format.significant(one.cost)}
                    </td>
                    <td data-title="Advice">
                      {one.problem ?? (one.words?.action || one.words?.outcome)}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
