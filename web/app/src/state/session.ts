// SPDX-License-Identifier: Apache-2.0
// The server behind the page: what it serves, and whether it is there.
import { batch, computed, signal } from "@preact/signals";
import { get, isHealthy, Problem, Unreachable } from "../api/client";
import type { Feature, ModelAnswer, SchemaAnswer } from "../api/types";

const kHeartbeat = 4000;
const kRetry = 1000;

export type Connection = "loading" | "up" | "down" | "refused";

export const connection = signal<Connection>("loading");
/** Grows whenever a server (again) answers: whoever waits for an answer asks again. */
export const epoch = signal(0);
/** Why the server refuses to say what it serves. */
export const refusal = signal("");
export const model = signal<ModelAnswer | null>(null);
export const schema = signal<SchemaAnswer | null>(null);
/** The server came back with another model than the page had begun with. */
export const replaced = signal(false);

export const features = computed<Feature[]>(() => schema.value?.features ?? []);
export const featureByName = computed(
  () => new Map(features.value.map((feature) => [feature.name, feature])),
);

/** Units of one, where they differ: "month" for "months". */
const unitsOfOne = computed(() => {
  const file = schema.value?.schema as
    | { features?: readonly { name: string; unit_one?: string }[] }
    | undefined;
  return new Map((file?.features ?? []).map(({ name, unit_one }) => [name, unit_one]));
});

/** The unit behind a value, with the space before it. */
export function unitBehind({ name, unit }: Feature, value: number): string {
  const written = value === 1 ? (unitsOfOne.value.get(name) ?? unit) : unit;
  return written === "" ? "" : ` ${written}`;
}

/** Names of classes come in quotation marks, which labels do not need. */
export const plain = (name: string): string => name.replace(/^'(.*)'$/, "$1");

/** Asks what the server serves. */
export async function connect(): Promise<void> {
  try {
    const [served, described] = await Promise.all([
      get<ModelAnswer>("model"),
      get<SchemaAnswer>("schema"),
    ]);
    batch(() => {
      const before = model.value?.fingerprint;
      replaced.value = before !== undefined && before !== served.fingerprint;
      model.value = served;
      schema.value = described;
      connection.value = "up";
      epoch.value += 1;
    });
  } catch (error) {
    failed(error);
  }
}

/** Draws the conclusion from a failed request; true when the server is gone. */
export function failed(error: unknown): boolean {
  if (error instanceof Unreachable) {
    connection.value = "down";
    return true;
  }
  if (error instanceof Problem && (error.status === 401 || model.value === null)) {
    refusal.value = error.detail;
    connection.value = "refused";
    return true;
  }
  return false;
}

async function beat(): Promise<void> {
  const healthy = await isHealthy();
  if (!healthy && connection.value === "up") connection.value = "down";
  else if (healthy && connection.value === "down") await connect();
  setTimeout(() => void beat(), connection.value === "down" ? kRetry : kHeartbeat);
}

/** Connects, and from then on notices when the server goes and when it comes back. */
export function watchServer(): void {
  void connect();
  setTimeout(() => void beat(), kRetry);
}
