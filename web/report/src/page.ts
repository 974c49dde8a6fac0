// SPDX-License-Identifier: Apache-2.0
// The page: header, controls, tables and figures, and what happens when they are used.
import { h } from "../../shared/dom";
import * as format from "../../shared/format";
import { switchTheme } from "../../shared/theme";
import { Figure, missingFigure } from "./figure";
import { kFigures } from "./figures";
import type { Experiment } from "./data";
import {
  datasetsTable,
  findingsTable,
  methodName,
  methodsTable,
  noisesTable,
  summaryTable,
} from "./tables";
import { View } from "./view";

const kResizeDelay = 150;

export class Page {
  readonly title: string;
  readonly element: HTMLElement;
  private readonly view: View;
  private readonly figures: Figure[] = [];
  private readonly inSight = new Set<Element>();
  private readonly hidden = new Set<number>();
  private published = false;
  /** While it lasts, nothing may draw a figure for the screen. */
  private printing = false;

  constructor(private readonly data: Experiment) {
    this.view = new View(data);
    this.title = data.title;
    const findings = findingsTable(data);
    this.element = h(
      "div",
      {},
      this.header(),
      this.controls(),
      h(
        "main",
        {},
        findings && section("findings", "What the paper claims, and what this run found", findings),
        section("summary", "In short", summaryTable(this.view)),
        section("reading", "How to read this", ...this.reading()),
        section("figures", "Figures", ...this.makeFigures()),
        section(
          "run",
          "What was run",
          datasetsTable(data),
          noisesTable(data),
          methodsTable(this.view),
        ),
      ),
      h("footer", {}, `Made by croco ${data.croco}. This file needs no network and sends nothing.`),
    );
  }

  private header(): HTMLElement {
    const { data } = this;
    const people = data.datasets
      .map((item) => `${item.label} ${format.whole(item.asked)}`)
      .join(", ");
    const facts = [
      ["People asked", people],
      ["Noises", `${data.noises.length}`],
      ["Targets", data.targets.map((value) => format.target(value)).join(", ")],
      ["Methods", `${data.methods.length}`],
      ["Samples per measured rate", format.whole(data.rate_samples)],
    ];
    if (data.certificate?.samples != null) {
      facts.push(["Other samples per certificate", format.whole(data.certificate.samples)]);
    }
    if (data.certificate?.confidence != null) {
      facts.push(["Confidence of a certificate", format.target(data.certificate.confidence)]);
    }
    return h(
      "header",
      { class: "page" },
      h("h1", {}, data.title),
      data.description ? h("p", { class: "lead" }, data.description) : null,
      h(
        "dl",
        {},
        ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
      ),
    );
  }

  private controls(): HTMLElement {
    const chips = this.view.series
      .filter((series) => !series.published)
      .map((series) =>
        h(
          "label",
          { class: "chip" },
          h("input", {
            type: "checkbox",
            checked: true,
            value: series.name,
            change: (event) => this.show(series.method, event.target as HTMLInputElement),
          }),
          methodName(series),
        ),
      );
    const toggle = this.view.hasPublished
      ? h(
          "label",
          { class: "chip published" },
          h("input", {
            type: "checkbox",
            value: "published",
            change: (event) => {
              this.published = (event.target as HTMLInputElement).checked;
              this.choose();
            },
          }),
          "published points",
        )
      : null;
    return h(
      "nav",
      { class: "controls", "aria-label": "What the figures show" },
      h("div", { class: "chips", role: "group", "aria-label": "Methods" }, ...chips),
      toggle,
      h("button", { type: "button", class: "theme", click: switchTheme }, "Light or dark"),
    );
  }

  private show(method: number | null, box: HTMLInputElement): void {
    if (method === null) return;
    if (box.checked) this.hidden.delete(method);
    else this.hidden.add(method);
    this.choose();
  }

  private choose(): void {
    this.view.choose({ hidden: this.hidden, published: this.published });
    for (const figure of this.figures) {
      figure.invalidate();
    }
    this.drawInSight();
  }

  private reading(): HTMLElement[] {
    const { data } = this;
    const texts = [
      "A counterfactual is a changed application that the model accepts. Whoever carries it out " +
        "will not hit it exactly: the noise says by how much they may miss. The invalidation " +
        "rate is the share of noisy versions that the model refuses after all, measured here " +
        `with ${format.whole(data.rate_samples)} samples that no method has seen. The target is ` +
        "the rate that a method was asked to stay below; the L1 distance is the size of the " +
        "change, in columns scaled to a range of one.",
      "A good method keeps every counterfactual at or below its target, and goes no further " +
        "than that needs: rates just under the target, distances as short as they can be. Rates " +
        "far below the target are paid for with longer changes.",
      "Facets are datasets (columns) and noises (rows), on the same axes. The chips at the top " +
        "show and hide methods everywhere; point at a mark to read its numbers; every figure " +
        "can be downloaded as a drawing (SVG) and as the numbers in it (CSV).",
    ];
    return texts.map((text) => h("p", { class: "prose" }, text));
  }

  private makeFigures(): HTMLElement[] {
    let number = 0;
    return kFigures.map((spec) => {
      const reason = spec.missing(this.view);
      if (reason !== null) return missingFigure(spec, reason);
      number += 1;
      const figure = new Figure(spec, this.view, number);
      figure.reserve(320);
      this.figures.push(figure);
      return figure.element;
    });
  }

  /** Draws what comes into sight, and everything before printing. */
  watch(): void {
    const byElement = new Map(this.figures.map((figure) => [figure.element as Element, figure]));
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (entry.isIntersecting) {
            this.inSight.add(entry.target);
            byElement.get(entry.target)?.draw(this.printing);
          } else {
            this.inSight.delete(entry.target);
          }
        }
      },
      { rootMargin: "500px" },
    );
    for (const figure of this.figures) observer.observe(figure.element);

    let timer = 0;
    window.addEventListener("resize", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => this.drawInSight(), kResizeDelay);
    });
    window.addEventListener("beforeprint", () => this.print(true));
    window.addEventListener("afterprint", () => this.print(false));
    matchMedia("print").addEventListener("change", (event) => this.print(event.matches));
  }

  private drawInSight(): void {
    for (const figure of this.figures) {
      if (this.inSight.has(figure.element)) figure.draw(this.printing);
    }
  }

  private print(printing: boolean): void {
    this.printing = printing;
    if (printing) for (const figure of this.figures) figure.draw(true);
    else this.drawInSight();
  }

  /** Draws every figure, giving the browser a moment after each. */
  async renderAll(): Promise<void> {
    for (const figure of this.figures) {
      figure.draw(this.printing);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
}

function section(id: string, title: string, ...content: HTMLElement[]): HTMLElement {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    ...content,
  );
}
