// SPDX-License-Identifier: Apache-2.0
// The supplement's heatmaps: the share of counterfactuals that are accepted before any noise.
import * as Plot from "@observablehq/plot";
import { symbolSquare } from "d3";
import type { Table } from "../../../shared/csv";
import type { Canvas, FigureSpec } from "../figure";
import * as format from "../../../shared/format";
import { makeGrid } from "../layout";
import { textWidth } from "../legend";
import { tip } from "../../../shared/marks";
import { kPlaceColumns, place, placeCells, seriesOf, type Point, type View } from "../view";

const kCell = 24;
const kLegend = [1, 0.99, 0.9, 0.5, 0];

const complete = (point: Point): boolean => point.numbers.validity != null;
const drawn = (view: View): Point[] => [...view.points(), ...view.published()].filter(complete);

// All is calm, nothing is loud; the square root makes the first missing per cents visible, and the
// mix keeps the number in the cell readable.
function color(validity: number): string {
  const part = (100 * Math.sqrt(Math.max(0, 1 - validity))).toFixed(1);
  return `color-mix(in oklab, var(--heat-bad) ${part}%, var(--heat-good))`;
}

const cellText = (point: Point): string =>
  format.percent(point.numbers.validity).replace(" %", "").replace(" ", "");

function tipText(point: Point): string {
  const { series, target, numbers, configuration, count } = point;
  const lines = [series.label, place(point)];
  lines.push(target === null ? "no target" : `target ${format.target(target)}`);
  lines.push(`valid: ${format.percent(numbers.validity)} of ${format.whole(count)}`);
  if (configuration) {
    const { advised, asked, rule_met } = configuration;
    lines.push(`advice for ${format.whole(advised)} of ${format.whole(asked)} people`);
    if (rule_met != null) lines.push(`the method's own rule met: ${format.percent(rule_met)}`);
  }
  return lines.join("\n");
}

function draw(view: View, canvas: Canvas): SVGSVGElement | null {
  const points = drawn(view);
  if (points.length === 0) return null;
  const series = seriesOf(points);
  const { columns, rows: noises } = view.facets();
  const datasets = new Map(view.data.datasets.map((item) => [item.name, item.label]));
  const noiseLabels = new Map(view.data.noises.map((item) => [item.name, item.label]));
  const keys = new Map(
    series.map((one) => [`${one.published ? "published" : "own"} ${one.name}`, one]),
  );
  const keyOf = (point: Point): string =>
    `${point.series.published ? "published" : "own"} ${point.series.name}`;
  const targets = view.data.targets.filter((value) =>
    points.some((point) => point.target === value),
  );
  const strays = points
    .map((point) => point.target)
    .filter((value): value is number => value !== null);
  const domain = [...new Set([...targets, ...strays])].sort((a, b) => b - a);
  const grid = makeGrid({
    columns,
    rows: [...keys.keys()],
    heading: (fx, fy) => [datasets.get(fx) ?? fx, keys.get(fy)?.label ?? fy],
    ...canvas,
    legend: kLegend.map((share) => ({
      label: format.percent(share),
      color: color(share),
      symbol: symbolSquare,
      edge: "var(--frame)",
    })),
    marginLeft: 72,
    facetHeight:
      Math.max(1, domain.length) * (canvas.print ? 17 : kCell) + (domain.length < 2 ? 12 : 0),
    maxFacetWidth: 96 * Math.max(2, noises.length),
  });
  // Labels that would run into each other give way to the short names.
  const fits = noises.every(
    (name) =>
      textWidth(shortLabel(noiseLabels.get(name) ?? name)) + 6 < grid.facetWidth / noises.length,
  );
  const channels = {
    x: (point: Point) => point.noise.name,
    fx: (point: Point) => point.dataset.name,
    fy: keyOf,
  };
  const y = (point: Point): number | null => point.target;
  const cells = points.filter((point) => point.target !== null);
  // A method without a target has one number for all of them: a cell as high as the facet.
  const pillars = points.filter((point) => point.target === null);
  const look = {
    fill: (point: Point) => color(point.numbers.validity ?? 0),
    inset: 1,
    rx: 2,
  };
  const text = {
    ...channels,
    text: cellText,
    fontSize: canvas.print ? 9.5 : 11.5,
    fill: "var(--ink)",
    fontVariant: "tabular-nums",
    className: "validity",
  };
  return grid.plot({
    x: {
      type: "band",
      domain: noises,
      padding: 0,
      label: "noise",
      labelAnchor: "center",
      tickSize: 0,
      tickFormat: (name: string) => (fits ? shortLabel(noiseLabels.get(name) ?? name) : name),
    },
    y: {
      type: "band",
      domain: domain.length > 0 ? domain : [0],
      padding: 0,
      label: domain.length > 0 ? "target" : null,
      labelAnchor: "center",
      tickSize: 0,
      tickFormat: (value: number) => (domain.length > 0 ? format.target(value) : ""),
    },
    color: { type: "identity" },
    marks: [
      Plot.cell(cells, { ...channels, y, ...look, className: "cells" }),
      Plot.cell(pillars, { ...channels, ...look, className: "cells-without-target" }),
      Plot.text(cells, { ...text, y }),
      Plot.text(pillars, { ...text, frameAnchor: "middle" }),
      tip(cells, { ...channels, y }, tipText),
      tip(pillars, { ...channels, y: () => domain[Math.floor(domain.length / 2)] ?? 0 }, tipText),
    ],
  });
}

// Noise labels repeat their first word ("variance"): the axis can do without it.
const shortLabel = (label: string): string => label.replace(/^variance\s+/, "");

export const validity: FigureSpec = {
  id: "validity",
  title: "Is the advice valid at all?",
  caption: () =>
    "Share of counterfactuals, in %, that the model accepts when they are carried out exactly " +
    "(the supplement's heatmaps; a method without a target has one cell per noise): good is 100 " +
    "everywhere.",
  missing: (view) =>
    view.all().some(complete) ? null : "no configuration has a share of valid counterfactuals.",
  draw,
  table: (view): Table => ({
    columns: [...kPlaceColumns, "validity"],
    rows: drawn(view).map((point) => [...placeCells(point), point.numbers.validity]),
  }),
};
