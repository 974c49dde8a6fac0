// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from "preact";

export type Tone = "good" | "bad" | "warn" | "calm";

/** A short word about a state; its colour is never the only sign. */
export function Chip({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`chip ${tone}`}>{children}</span>;
}
