// SPDX-License-Identifier: Apache-2.0
import type { RecordOf } from "../api/types";
import { features } from "../state/session";
import { capital, valueText } from "./values";

/** All values of a person, in words. */
export function Details({ record }: { record: RecordOf }) {
  return (
    <dl class="details">
      {features.value.map((feature) => (
        <div key={feature.name}>
          <dt>{capital(feature.label)}</dt>
          <dd>{valueText(feature, record[feature.name])}</dd>
        </div>
      ))}
    </dl>
  );
}
