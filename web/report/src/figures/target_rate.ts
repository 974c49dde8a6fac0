// SPDX-License-Identifier: Apache-2.0
// The paper's Figure 4: every counterfactual's rate against the target that was asked for.
import * as Plot from "@observablehq/plot";
import { max, sum } from "d3";
import type { Cell, Table } from "../../../shared/csv";
import { dodge } from "../dodge";
import type { Canvas, FigureSpec } from "../figure";
import * as format from "../../../shared/format";
import { facetNames, ground, makeGrid } from "../layout";
import { seriesItem } from "../legend";
import { cloud, tip, type Dots } from "../../../shared/marks";
import { quantiles } from "../quantiles";
import type { Series } from "../series";
import { kPlaceColumns, place, placeCells, seriesOf, type Point, type View } from "../view";
import { facetNotes } from "./notes";

interface Pledge {
  point: Point;
  target: number;
  rates: number[];
  low: number;
  high: number;
  mean: number | null;
}

// Evenly spread without a pattern, and the same in every drawing.
const jitter = (index: number): number => (index * 0.6180339887498949) % 1;

function pledges(view: View): Pledge[] {
  return view.points().flatMap((point) => {
    const counts = point.configuration?.people?.rate;
    if (point.target === null || !counts) return [];
    const rates = counts
      .filter((value): value is number => value !== null)
      .map((value) => value / view.data.rate_samples);
    if (rates.length === 0) return [];
    const spread = quantiles(rates);
    return {
      point,
      target: point.target,
      rates,
      low: spread.at(0.05),
      high: spread.at(0.95),
      mean: point.numbers.rate_mean ?? null,
    };
  });
}

/** Shares above the target of one series in one facet, over all its targets. */
function shareAbove(all: readonly Pledge[]): number | null {
  const known = all.filter((item) => item.point.numbers.rate_above_target != null);
  const people = sum(known, (item) => item.rates.length);
  if (people === 0) return null;
  return (
    sum(known, (item) => (item.point.numbers.rate_above_target ?? 0) * item.rates.length) / people
  );
}

function draw(view: View, canvas: Canvas): SVGSVGElement | null {
  const all = pledges(view);
  if (all.length === 0) return null;
  const targets = [...new Set(all.map((item) => item.target))].sort((a, b) => a - b);
  const series = seriesOf(all.map((item) => item.point));
  const facets = facetNames(view);
  const grid = makeGrid({
    ...facets,
    ...canvas,
    legend: [
      ...series.map((one) => seriesItem(one)),
      { label: "target", color: "var(--ink)" },
      { label: "rate equals target", color: "var(--ink-2)", dashed: true },
    ],
    ratio: 0.72,
    noteHeight: 16,
  });
  const top = Math.max(max(all, (item) => max(item.rates) ?? 0) ?? 0, max(targets) ?? 0);
  const places = dodge(targets, series, grid.facetWidth);
  const clouds = series.map((one) =>
    cloud(...dotsOf(all, one, places.offset(one), places.slotPixels)),
  );

  const channels = {
    x: (item: Pledge) => item.target + places.offset(item.point.series),
    fx: (item: Pledge) => item.point.dataset.name,
    fy: (item: Pledge) => item.point.noise.name,
  };
  const summaries = series.flatMap((one) => {
    const own = all.filter((item) => item.point.series === one);
    return [
      Plot.ruleX(own, {
        ...channels,
        y1: "low",
        y2: "high",
        stroke: "var(--ink)",
        strokeWidth: 1.25,
        className: `range ${one.key}`,
      }),
      Plot.dot(own, {
        ...channels,
        y: "mean",
        symbol: one.symbol,
        r: canvas.print ? 2.2 : 3.2,
        fill: one.color,
        stroke: "var(--ink)",
        strokeWidth: 0.9,
        className: `mean ${one.key}`,
      }),
    ];
  });
  const diagonal = [
    { x: places.domain[0], y: places.domain[0] },
    { x: places.domain[1], y: places.domain[1] },
  ];
  return grid.plot({
    x: {
      domain: places.domain,
      ticks: targets,
      tickFormat: (value: number) => format.target(value).replace(" %", ""),
      label: "target: invalidation rate asked for, in %",
      labelAnchor: "center",
    },
    y: {
      domain: [0, top * 1.02],
      insetBottom: 4,
      ticks: 5,
      tickFormat: "%",
      label: "measured invalidation rate",
      labelAnchor: "center",
    },
    marks: [
      ground(targets, 5),
      ...clouds,
      Plot.line(diagonal, {
        x: "x",
        y: "y",
        stroke: "var(--ink-2)",
        strokeDasharray: "4,3",
        clip: true,
        className: "diagonal",
      }),
      Plot.ruleY(targets, {
        y: (value: number) => value,
        x1: (value: number) => value - places.half,
        x2: (value: number) => value + places.half,
        stroke: "var(--ink)",
        strokeWidth: 1.5,
        className: "targets",
      }),
      ...summaries,
      ...facetNotes(
        facets,
        series.map((one) => ({
          series: one,
          share: (fx, fy) =>
            shareAbove(
              all.filter(
                ({ point }) =>
                  point.series === one && point.dataset.name === fx && point.noise.name === fy,
              ),
            ),
        })),
        "above target",
        grid.facetWidth,
      ),
      tip(all, { ...channels, y: (item) => item.mean ?? item.low }, tipText),
    ],
  });
}

function dotsOf(
  all: readonly Pledge[],
  series: Series,
  offset: number,
  slot: number,
): [Dots, Parameters<typeof cloud>[1]] {
  const own = all.filter((item) => item.point.series === series);
  const dots = {
    x: own.flatMap((item) => item.rates.map(() => item.target + offset)),
    y: own.flatMap((item) => item.rates),
    fx: own.flatMap((item) => item.rates.map(() => item.point.dataset.name)),
    fy: own.flatMap((item) => item.rates.map(() => item.point.noise.name)),
  };
  const shift = own.flatMap((item) => item.rates.map((_, i) => (jitter(i) - 0.5) * 0.84 * slot));
  return [
    dots,
    { color: series.color, size: 1.9, opacity: 0.55, shift, className: `cloud ${series.key}` },
  ];
}

function tipText(item: Pledge): string {
  const { point } = item;
  return [
    point.series.label,
    place(point),
    `target ${format.target(item.target)}`,
    `mean rate ${format.rate(item.mean)}`,
    `5 to 95 % of people: ${format.rate(item.low)} to ${format.rate(item.high)}`,
    `above target: ${format.percent(point.numbers.rate_above_target)} of ` +
      format.whole(item.rates.length),
  ].join("\n");
}

function table(view: View): Table {
  const columns = [...kPlaceColumns, "layer", "rate", "rate_p05", "rate_p95", "rate_above_target"];
  const rows: Cell[][] = [];
  for (const item of pledges(view)) {
    const where = placeCells(item.point);
    for (const rate of item.rates) rows.push([...where, "counterfactual", rate]);
    const above = item.point.numbers.rate_above_target;
    rows.push([...where, "mean", item.mean, item.low, item.high, above]);
  }
  return { columns, rows };
}

export const targetRate: FigureSpec = {
  id: "target-rate",
  title: "Is the promise kept?",
  caption: () =>
    "Every dot is a counterfactual, placed at the target it was made for (the paper's Figure " +
    "4); marks are means, bars the middle 90 % of people: a dot above the short line of its " +
    "target is a broken promise (the shares above each facet), one far below it a longer way " +
    "than was asked for.",
  missing: (view) =>
    pledges(view).length > 0 ||
    view.all().some((p) => p.target !== null && p.configuration?.people?.rate?.length)
      ? null
      : "no method with a target has rates of single people.",
  draw,
  table,
};
