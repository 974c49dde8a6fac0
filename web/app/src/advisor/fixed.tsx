// SPDX-License-Identifier: Apache-2.0
import { capital } from "../person/values";
import { limit, limits } from "../state/choice";
import { features } from "../state/session";

/** What this person cannot or will not change. */
export function Fixed() {
  const movable = features.value.filter((feature) => feature.movement !== "fixed");
  return (
    <fieldset class="fixed">
      <legend>What has to stay as it is</legend>
      {movable.map(({ name, label }) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={limits.value[name]?.fixed === true}
            onChange={(event) => limit(name, { fixed: event.currentTarget.checked })}
          />
          {capital(label)}
        </label>
      ))}
    </fieldset>
  );
}
