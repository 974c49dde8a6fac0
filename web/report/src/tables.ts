// SPDX-License-Identifier: Apache-2.0
// The tables: what was found, the grid in short, the data, the noises, the methods.
import { group, mean, sum } from "d3";
import type { Experiment } from "./data";
import { h, s } from "../../shared/dom";
import * as format from "../../shared/format";
import { seriesItem, sign } from "./legend";
import type { Series } from "./series";
import type { Point, View } from "./view";

interface Column {
  title: string;
  /** Explains the column on hover. */
  hint?: string;
  number?: boolean;
}

type Content = string | Node;

// Focusable, so that the arrow keys scroll a table that is wider than the window. In narrow windows
// the style sheet stacks the cells, each behind the title of its column; the roles keep such blocks
// a table for screen readers.
function table(
  name: string,
  columns: readonly Column[],
  rows: readonly Content[][],
  className = "",
): HTMLElement {
  const kind = (column: Column | undefined): string => (column?.number ? "number" : "text");
  return h(
    "div",
    { class: `table ${className}`, tabindex: 0, role: "group", "aria-label": name },
    h(
      "table",
      { role: "table" },
      h(
        "thead",
        { role: "rowgroup" },
        h(
          "tr",
          { role: "row" },
          ...columns.map((column) =>
            h(
              "th",
              { class: kind(column), scope: "col", role: "columnheader", title: column.hint },
              column.title,
            ),
          ),
        ),
      ),
      h(
        "tbody",
        { role: "rowgroup" },
        ...rows.map((row) => {
          // A cell that spans rows is missing in front of all but the first.
          const skipped = columns.length - row.length;
          const cells = row.map((cell, i) =>
            cell instanceof HTMLTableCellElement
              ? cell
              : h(
                  "td",
                  {
                    class: kind(columns[skipped + i]),
                    role: "cell",
                    "data-title": columns[skipped + i]?.title,
                  },
                  cell,
                ),
          );
          return h("tr", { role: "row" }, ...cells);
        }),
      ),
    ),
  );
}

/** The sign and name of a method. */
export function methodName(series: Series): HTMLElement {
  const mark = s("svg", { width: 16, height: 16, viewBox: "-8 -8 16 16", "aria-hidden": "true" });
  mark.append(sign(seriesItem(series)));
  return h("span", { class: "method" }, mark, series.label);
}

const kVerdicts: Record<string, { className: string; mark: string }> = {
  confirmed: { className: "good", mark: "✓" },
  partly: { className: "partly", mark: "◐" },
  "not confirmed": { className: "bad", mark: "✗" },
  "not tested": { className: "untested", mark: "–" },
};

/** Claims of the paper and what this run says about them; null when there are none. */
export function findingsTable(data: Experiment): HTMLElement | null {
  const findings = data.findings ?? [];
  if (findings.length === 0) return null;
  const rows = findings.map((item) => {
    const verdict = kVerdicts[item.verdict] ?? { className: "untested", mark: "" };
    const badge = h(
      "span",
      { class: `verdict ${verdict.className}` },
      h("span", { "aria-hidden": "true" }, verdict.mark),
      ` ${item.verdict}`,
    );
    const claim = h("span", {}, item.claim);
    if (item.source) claim.append(" ", h("span", { class: "source" }, item.source));
    return [claim, badge, item.number ?? "", item.detail ?? ""];
  });
  return table(
    "Findings",
    [
      { title: "Claim of the paper" },
      { title: "Verdict" },
      { title: "Number" },
      { title: "Detail" },
    ],
    rows,
    "findings",
  );
}

type Mean = number | undefined;
const meanOf = (
  points: readonly Point[],
  read: (point: Point) => number | null | undefined,
): Mean => mean(points, (point) => read(point) ?? NaN);

/** Each dataset and method, averaged over noises and targets. */
export function summaryTable(view: View): HTMLElement {
  const hint = "mean over the noises and targets of the run";
  const columns: Column[] = [
    { title: "Data" },
    { title: "Method" },
    { title: "Advice", number: true, hint: "people with advice, of those asked" },
    { title: "Valid", number: true, hint: `accepted before noise; ${hint}` },
    { title: "L1 distance", number: true, hint },
    { title: "Invalidation rate", number: true, hint },
    { title: "Above target", number: true, hint: `measured rate above the target; ${hint}` },
    { title: "Over lower bound", number: true, hint: `distance over the proven bound; ${hint}` },
    { title: "Time per person", number: true, hint },
  ];
  const rows: Content[][] = [];
  for (const dataset of view.data.datasets) {
    const bySeries = group(
      view.all().filter((point) => point.dataset === dataset),
      (point) => point.series,
    );
    const title = h(
      "th",
      { rowspan: bySeries.size, scope: "rowgroup", role: "rowheader" },
      dataset.label,
    );
    let first = true;
    for (const series of view.series) {
      const points = bySeries.get(series);
      if (points === undefined) continue;
      const asked = sum(points, (point) => point.configuration?.asked ?? 0);
      const advised = sum(points, (point) => point.configuration?.advised ?? 0);
      rows.push([
        ...(first ? [title] : []),
        methodName(series),
        format.percent(asked > 0 ? advised / asked : null),
        format.percent(meanOf(points, (point) => point.numbers.validity)),
        format.significant(meanOf(points, (point) => point.numbers.l1_mean)),
        format.rate(meanOf(points, (point) => point.numbers.rate_mean)),
        format.percent(meanOf(points, (point) => point.numbers.rate_above_target)),
        format.significant(meanOf(points, (point) => point.configuration?.over_lower_mean)),
        format.duration(meanOf(points, (point) => point.configuration?.ms_per_person)),
      ]);
      first = false;
    }
  }
  return table("In short", columns, rows, "summary");
}

/** The data sets and their models. */
export function datasetsTable(data: Experiment): HTMLElement {
  const columns: Column[] = [
    { title: "Data" },
    { title: "People", number: true },
    { title: "Asked", number: true, hint: "people whom the model refuses" },
    { title: "Columns", number: true, hint: "encoded columns, of which continuous" },
    { title: "Model", number: false },
    { title: "Test accuracy", number: true },
    { title: "Test AUC", number: true },
  ];
  return table(
    "Data",
    columns,
    data.datasets.map((item) => [
      item.label,
      format.whole(item.people),
      format.whole(item.asked),
      item.columns == null
        ? format.kNothing
        : format.whole(item.columns) +
          (item.continuous == null ? "" : ` (${item.continuous} continuous)`),
      (item.parameters == null ? "" : `${format.whole(item.parameters)} parameters, `) +
        (item.trained ? "trained here" : "as given"),
      format.percent(item.test_accuracy),
      item.test_auc == null ? format.kNothing : item.test_auc.toFixed(3),
    ]),
  );
}

export function noisesTable(data: Experiment): HTMLElement {
  return table(
    "Noises",
    [{ title: "Noise" }, { title: "What it does" }],
    data.noises.map((item) => [item.label, item.text]),
  );
}

export function methodsTable(view: View): HTMLElement {
  return table(
    "Methods",
    [{ title: "Method" }, { title: "Notes" }],
    view.data.methods.map((method, index) => {
      const series = view.series.find((one) => one.method === index && !one.published);
      const note = method.note || (method.as_published ? "As published." : "");
      return [series ? methodName(series) : method.label, note];
    }),
    "notes",
  );
}
