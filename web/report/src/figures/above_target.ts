// SPDX-License-Identifier: Apache-2.0
import * as Plot from "@observablehq/plot";
import { max } from "d3";
import type { Table } from "../../../shared/csv";
import { dodge } from "../dodge";
import type { Canvas, FigureSpec } from "../figure";
import * as format from "../../../shared/format";
import { facetNames, ground, makeGrid } from "../layout";
import { seriesItem } from "../legend";
import { tip } from "../../../shared/marks";
import { kPlaceColumns, place, placeCells, seriesOf, type Point, type View } from "../view";

const complete = (point: Point): boolean =>
  point.target !== null && point.numbers.rate_above_target != null;
const drawn = (view: View): Point[] => [...view.points(), ...view.published()].filter(complete);

function tipText(point: Point): string {
  return [
    point.series.label,
    place(point),
    `target ${format.target(point.target)}`,
    `above target: ${format.percent(point.numbers.rate_above_target)} of ` +
      `${format.whole(point.count)}`,
  ].join("\n");
}

function draw(view: View, canvas: Canvas): SVGSVGElement | null {
  const points = drawn(view);
  if (points.length === 0) return null;
  const series = seriesOf(points);
  const targets = [...new Set(points.map((point) => point.target ?? 0))].sort((a, b) => a - b);
  const grid = makeGrid({
    ...facetNames(view),
    ...canvas,
    legend: series.map((one) => seriesItem(one)),
    ratio: 0.45,
  });
  const places = dodge(targets, series, grid.facetWidth);
  const top = max(points, (point) => point.numbers.rate_above_target ?? 0) ?? 1;
  const channels = {
    x: (point: Point) => (point.target ?? 0) + places.offset(point.series),
    y: (point: Point) => point.numbers.rate_above_target,
    fx: (point: Point) => point.dataset.name,
    fy: (point: Point) => point.noise.name,
  };
  return grid.plot({
    x: {
      domain: places.domain,
      ticks: targets,
      tickFormat: (value: number) => format.target(value).replace(" %", ""),
      label: "target, in %",
      labelAnchor: "center",
    },
    y: {
      // A run without a broken promise still shows a scale, not a flat line at the top.
      domain: [0, Math.max(0.1, Math.min(1, top * 1.04))],
      insetBottom: 7,
      insetTop: 4,
      ticks: 5,
      tickFormat: "%",
      label: "share above target",
      labelAnchor: "center",
    },
    marks: [
      ground(targets, 5),
      Plot.ruleY([0], { stroke: "var(--ink-2)", className: "zero" }),
      ...series.flatMap((one) => {
        const own = points.filter((point) => point.series === one);
        return [
          Plot.ruleX(own, {
            ...channels,
            y1: 0,
            y2: channels.y,
            y: null,
            stroke: one.color,
            strokeWidth: one.published ? 1.25 : 2,
            ...(one.published ? { strokeDasharray: "3,2" } : {}),
            className: `stems ${one.key}`,
          } as Plot.RuleXOptions),
          Plot.dot(own, {
            ...channels,
            symbol: one.symbol,
            r: canvas.print ? 2.4 : 3.6,
            fill: one.published ? "var(--surface)" : one.color,
            stroke: one.color,
            strokeWidth: 1.25,
            className: `dots ${one.key}`,
          }),
        ];
      }),
      tip(points, channels, tipText),
    ],
  });
}

export const aboveTarget: FigureSpec = {
  id: "above-target",
  title: "How often is the promise broken?",
  caption: () =>
    "Share of counterfactuals whose measured invalidation rate is above the target: good marks " +
    "lie on the zero line at every target.",
  missing: (view) =>
    view.all().some(complete) ? null : "no method with a target has a share above it.",
  draw,
  table: (view): Table => ({
    columns: [...kPlaceColumns, "rate_above_target"],
    rows: drawn(view).map((point) => [...placeCells(point), point.numbers.rate_above_target]),
  }),
};
