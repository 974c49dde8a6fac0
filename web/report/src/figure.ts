// SPDX-License-Identifier: Apache-2.0
// What every figure shares: its frame, lazy drawing, downloads and the reason when it is left out.
import { writeCsv, type Table } from "../../shared/csv";
import { h } from "../../shared/dom";
import { saveFile, standaloneSvg } from "../../shared/download";
import type { View } from "./view";

/** Where and how large a figure is drawn. */
export interface Canvas {
  width: number;
  print: boolean;
}

/** A figure: what it says, what it draws, and the same as a table. */
export interface FigureSpec {
  id: string;
  title: string;
  /** One sentence: what to look for, and what good looks like. */
  caption: (view: View) => string;
  /** Why the data cannot fill it, or null. */
  missing: (view: View) => string | null;
  /** Null when nothing that is shown can be drawn. */
  draw: (view: View, canvas: Canvas) => SVGSVGElement | null;
  /** Exactly the data drawn. */
  table: (view: View) => Table;
}

/** Width of a printed page of A4 or letter paper between its margins, in pixels. */
const kPrintWidth = 700;

export class Figure {
  readonly element: HTMLElement;
  private readonly plot: HTMLElement;
  private readonly buttons: HTMLButtonElement[] = [];
  private stale = true;
  private drawnWidth = 0;

  constructor(
    private readonly spec: FigureSpec,
    private readonly view: View,
    readonly number: number,
  ) {
    const name = `Figure ${number}. ${spec.title}`;
    this.plot = h("div", {
      class: "plot",
      tabindex: 0,
      role: "group",
      "aria-label": name,
    });
    this.buttons = [
      this.button("SVG", "drawing", () => this.saveSvg()),
      this.button("CSV", "data", () => this.saveCsv()),
    ];
    this.element = h(
      "figure",
      { id: spec.id },
      h(
        "div",
        { class: "title" },
        h("h3", {}, h("span", { class: "number" }, `${number}`), spec.title),
        h("div", { class: "buttons" }, ...this.buttons),
      ),
      h("figcaption", {}, spec.caption(view)),
      this.plot,
    );
  }

  private button(label: string, what: string, act: () => void): HTMLButtonElement {
    const title = `Download the ${what} of figure ${this.number} as ${label}`;
    return h("button", { type: "button", click: act, title, "aria-label": title }, label);
  }

  /** The choice of methods changed: draw again, at once or when it comes into sight. */
  invalidate(): void {
    this.stale = true;
  }

  /** Draws it if it is not what it should be; idempotent. */
  draw(print: boolean): void {
    const width = print ? kPrintWidth : Math.floor(this.plot.clientWidth);
    if (width === 0 || (!this.stale && width === this.drawnWidth)) return;
    const drawing = this.spec.draw(this.view, { width, print });
    for (const button of this.buttons) button.disabled = drawing === null;
    if (drawing === null) {
      this.plot.replaceChildren(
        h("p", { class: "empty" }, "None of the shown methods has data here."),
      );
    } else {
      drawing.setAttribute("role", "img");
      drawing.setAttribute("aria-label", `${this.spec.title}. ${this.spec.caption(this.view)}`);
      this.plot.replaceChildren(drawing);
    }
    this.plot.style.minHeight = "";
    this.stale = false;
    this.drawnWidth = width;
  }

  /** Keeps its place on the page before it is drawn, so that scrolling does not jump. */
  reserve(height: number): void {
    this.plot.style.minHeight = `${height}px`;
  }

  private saveSvg(): void {
    this.draw(false);
    const drawing = this.plot.querySelector("svg");
    if (drawing === null) return;
    saveFile(`${this.spec.id}.svg`, "image/svg+xml", standaloneSvg(drawing, this.spec.title));
  }

  private saveCsv(): void {
    saveFile(`${this.spec.id}.csv`, "text/csv", writeCsv(this.spec.table(this.view)));
  }
}

/** Stands where a figure without data would be. */
export function missingFigure(spec: FigureSpec, reason: string): HTMLElement {
  return h(
    "p",
    { class: "missing", id: spec.id },
    h("b", {}, spec.title),
    ` is left out: ${reason}`,
  );
}
