// SPDX-License-Identifier: Apache-2.0
import { DataError, parseExperiment } from "./data";
import { h } from "../../shared/dom";
import { Page } from "./page";

declare global {
  interface Window {
    /** For tests and scripts: draws every figure, in sight or not. */
    crocoReport?: { renderAll: () => Promise<void> };
  }
}

function start(): void {
  const root = document.getElementById("page");
  const source = document.getElementById("croco-data");
  if (root === null) return;
  try {
    const page = new Page(parseExperiment(source?.textContent ?? ""));
    document.title = page.title;
    root.replaceChildren(page.element);
    page.watch();
    window.crocoReport = { renderAll: () => page.renderAll() };
  } catch (error) {
    // A reader with a broken file deserves a sentence, whatever broke.
    const message = error instanceof Error ? error.message : String(error);
    const what =
      error instanceof DataError
        ? `The data in this file are not those of an experiment: ${message}.`
        : `The page could not be drawn: ${message}.`;
    root.replaceChildren(
      h(
        "div",
        { class: "failure", role: "alert" },
        h("h1", {}, "Nothing to show"),
        h("p", {}, what),
      ),
    );
  }
}

start();
