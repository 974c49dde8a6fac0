// SPDX-License-Identifier: Apache-2.0
// The loaded people, page by page.
import { batch, effect, signal, untracked } from "@preact/signals";
import { get, isAbort } from "../api/client";
import type { People, PersonView } from "../api/types";
import { isTyped, subject } from "./choice";
import { Latest } from "./latest";
import { epoch, failed } from "./session";

export type Decision = "accepted" | "rejected" | "unreadable" | "";

const kPage = 20;
/** Milliseconds for more letters to be typed. */
const kTyping = 150;

export const search = signal("");
export const decision = signal<Decision>("rejected");
/** row, score or a feature; a minus before it reverses the order. */
export const sort = signal("row");
/** Cursors of the pages up to the one that is shown. */
export const cursors = signal<readonly string[]>([]);
export const people = signal<People | null>(null);
export const problem = signal("");
/** The chosen one of the loaded people. */
export const person = signal<PersonView | null>(null);

const list = new Latest(0);
const one = new Latest(0);

/** Another search begins at its first page. */
export function find(change: () => void): void {
  batch(() => {
    change();
    cursors.value = [];
  });
}

async function load(path: string, stop: AbortSignal): Promise<void> {
  try {
    people.value = await get<People>(path, stop);
    problem.value = "";
  } catch (error) {
    if (isAbort(error) || failed(error)) return;
    problem.value = error instanceof Error ? error.message : String(error);
  }
}

/** Loads the page of people that the choices ask for, and the chosen person. */
export function listPeople(): void {
  let typed = "";
  effect(() => {
    const asked = new URLSearchParams({ limit: String(kPage), sort: sort.value });
    if (search.value.trim() !== "") asked.set("query", search.value.trim());
    if (decision.value !== "") asked.set("decision", decision.value);
    const cursor = cursors.value.at(-1);
    if (cursor !== undefined) asked.set("cursor", cursor);
    if (epoch.value === 0) return;
    const wait = search.value === typed ? 0 : kTyping;
    typed = search.value;
    list.run((stop) => load(`people?${asked.toString()}`, stop), wait);
  });
  effect(() => {
    const who = subject.value;
    if (epoch.value === 0) return;
    untracked(() => {
      if (who === null || isTyped(who)) {
        one.stop();
        person.value = null;
        return;
      }
      if (person.value?.row !== who.row) person.value = null;
      one.run(async (stop) => {
        try {
          person.value = await get<PersonView>(`people/${who.row}`, stop);
        } catch (error) {
          if (!isAbort(error)) failed(error);
        }
      });
    });
  });
}
