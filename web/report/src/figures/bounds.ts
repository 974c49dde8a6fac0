// SPDX-License-Identifier: Apache-2.0
// Figures that hold an upper bound against the measured rate, a dot per counterfactual.
import * as Plot from "@observablehq/plot";
import { extent, max } from "d3";
import type { Table } from "../../../shared/csv";
import { at } from "../data";
import type { Canvas, FigureSpec } from "../figure";
import * as format from "../../../shared/format";
import { facetNames, ground, makeGrid } from "../layout";
import { seriesItem, type LegendItem } from "../legend";
import { cloud, tip, type Dots } from "../../../shared/marks";
import { kPlaceColumns, place, placeCells, seriesOf, type Point, type View } from "../view";

interface Dot {
  point: Point;
  bound: number;
  rate: number;
}

type Bound = "paper_bound" | "upper";

function dots(points: readonly Point[], key: Bound, samples: number): Dot[] {
  return points.flatMap((point) => {
    const people = point.configuration?.people;
    const bounds = people?.[key];
    const rates = people?.rate;
    if (!bounds || !rates) return [];
    return bounds.flatMap((bound, i) => {
      const count = rates[i];
      return bound === null || count == null ? [] : { point, bound, rate: count / samples };
    });
  });
}

const where = {
  fx: (dot: Dot) => dot.point.dataset.name,
  fy: (dot: Dot) => dot.point.noise.name,
};

function columns(list: readonly Dot[], x: (dot: Dot) => number, y: (dot: Dot) => number): Dots {
  return { x: list.map(x), y: list.map(y), fx: list.map(where.fx), fy: list.map(where.fy) };
}

function diagonal(low: number, high: number): Plot.Markish {
  return Plot.line(
    [
      { x: low, y: low },
      { x: high, y: high },
    ],
    {
      x: "x",
      y: "y",
      stroke: "var(--ink-2)",
      strokeDasharray: "4,3",
      clip: true,
      className: "diagonal",
    },
  );
}

function table(list: readonly Dot[], key: Bound): Table {
  return {
    columns: [...kPlaceColumns, key, "rate"],
    rows: list.map((dot) => [...placeCells(dot.point), dot.bound, dot.rate]),
  };
}

function tipText(dot: Dot, name: string): string {
  return [
    dot.point.series.label,
    place(dot.point),
    `target ${format.target(dot.point.target)}`,
    `${name} ${format.rate(dot.bound)}`,
    `measured rate ${format.rate(dot.rate)}`,
  ].join("\n");
}

const crocoPoints = (points: readonly Point[]): Point[] =>
  points.filter((point) => point.series.kind === "croco");
const certifiedPoints = (points: readonly Point[]): Point[] =>
  points.filter((point) => point.series.kind === "certified" && point.target !== null);

function floorOf(view: View): number | null {
  const bound = view.data.paper_bound;
  return bound ? bound.m / (1 - bound.t) : null;
}

function drawPaperBound(view: View, canvas: Canvas): SVGSVGElement | null {
  const list = dots(crocoPoints(view.points()), "paper_bound", view.data.rate_samples);
  if (list.length === 0) return null;
  const series = seriesOf(list.map((dot) => dot.point));
  const floor = floorOf(view);
  const legend: LegendItem[] = [
    ...series.map((one) => seriesItem(one)),
    { label: "rate equals bound", color: "var(--ink-2)", dashed: true },
  ];
  if (floor !== null) {
    legend.push({ label: `no bound can be below ${format.percent(floor)}`, color: "var(--ink)" });
  }
  const grid = makeGrid({ ...facetNames(view), ...canvas, legend, ratio: 0.56 });
  const right = max(list, (dot) => dot.bound) ?? 1;
  const top = max(list, (dot) => dot.rate) ?? 1;
  return grid.plot({
    x: {
      domain: [0, right * 1.03],
      ticks: grid.xTicks,
      tickFormat: "%",
      label: "upper bound of the paper, (m + soft rate) / (1 - t)",
      labelAnchor: "center",
    },
    y: {
      domain: [0, top * 1.05],
      insetBottom: 4,
      ticks: 5,
      tickFormat: "%",
      label: "measured invalidation rate",
      labelAnchor: "center",
    },
    marks: [
      ground(grid.xTicks, 5),
      ...series.map((one) =>
        cloud(
          columns(
            list.filter((dot) => dot.point.series === one),
            (dot) => dot.bound,
            (dot) => dot.rate,
          ),
          { color: one.color, size: 2, opacity: 0.55, className: `cloud ${one.key}` },
        ),
      ),
      diagonal(0, Math.max(right, top) * 1.1),
      floor === null
        ? null
        : Plot.ruleX([floor], { stroke: "var(--ink)", strokeWidth: 1.25, className: "floor" }),
      tip(list, { x: (dot) => dot.bound, y: (dot) => dot.rate, ...where }, (dot) =>
        tipText(dot, "the paper's bound"),
      ),
    ],
  });
}

/** The supplement's Figure 5. */
export const paperBound: FigureSpec = {
  id: "paper-bound",
  title: "How tight is the paper's bound?",
  caption: (view) => {
    const bound = view.data.paper_bound;
    const floor = floorOf(view);
    const numbers =
      bound && floor !== null
        ? ` With m = ${bound.m} and t = ${bound.t} it cannot fall below ` +
          `${format.percent(floor)}, ` +
          "so that smaller targets are never met by it."
        : "";
    return (
      "A dot per counterfactual of CROCO (the supplement's Figure 5): below the diagonal the " +
      `bound holds, and the nearer to it, the less it gives away.${numbers}`
    );
  },
  missing: (view) =>
    crocoPoints(view.all()).some((point) => point.configuration?.people?.paper_bound?.length)
      ? null
      : "no CROCO method with bounds of single people was run.",
  draw: drawPaperBound,
  table: (view) =>
    table(dots(crocoPoints(view.points()), "paper_bound", view.data.rate_samples), "paper_bound"),
};

/** Colours from low to high targets; both themes keep the order of lightness. */
function targetColor(index: number, count: number): string {
  const part = count < 2 ? 0 : (200 * index) / (count - 1);
  return part <= 100
    ? `color-mix(in oklab, var(--seq-middle) ${part.toFixed(0)}%, var(--seq-low))`
    : `color-mix(in oklab, var(--seq-high) ${(part - 100).toFixed(0)}%, var(--seq-middle))`;
}

function drawCertifiedBound(view: View, canvas: Canvas): SVGSVGElement | null {
  const list = dots(certifiedPoints(view.points()), "upper", view.data.rate_samples);
  if (list.length === 0) return null;
  const targets = [...new Set(list.map((dot) => dot.point.target ?? 1))].sort((a, b) => a - b);
  const colors = targets.map((_, i) => targetColor(i, targets.length));
  const grid = makeGrid({
    ...facetNames(view),
    ...canvas,
    legend: [
      ...targets.map((value, i) => ({
        label: format.target(value),
        color: at(colors, i),
        symbol: at(seriesOf(list.map((dot) => dot.point)), 0).symbol,
      })),
      { label: "target", color: "var(--ink)" },
      { label: "bound equals rate", color: "var(--ink-2)", dashed: true },
    ],
    ratio: 0.62,
  });
  // Both axes in units of the target, or seven small clusters on the diagonal would tell nothing.
  const x = (dot: Dot): number => dot.rate / (dot.point.target ?? 1);
  const y = (dot: Dot): number => dot.bound / (dot.point.target ?? 1);
  const [left = 0.9, right = 1] = extent(list, x) as [number, number];
  const [bottom = 0.9, top = 1] = extent(list, y) as [number, number];
  const low = Math.min(left, bottom);
  const high = Math.max(right, top, 1);
  const pad = 0.04 * (high - low) + 0.002;
  return grid.plot({
    x: {
      domain: [low - pad, high + pad],
      ticks: grid.xTicks,
      label: "measured invalidation rate / target",
      labelAnchor: "center",
    },
    y: {
      domain: [low - pad, high + pad],
      ticks: 5,
      label: "certified bound / target",
      labelAnchor: "center",
    },
    marks: [
      ground(grid.xTicks, 5),
      diagonal(low - pad, high + pad),
      Plot.ruleY([1], { stroke: "var(--ink)", strokeWidth: 1.25, className: "targets" }),
      ...targets.map((value, i) =>
        cloud(
          columns(
            list.filter((dot) => dot.point.target === value),
            x,
            y,
          ),
          {
            color: at(colors, i),
            size: 2.2,
            opacity: 0.7,
            className: `cloud t${i}`,
          },
        ),
      ),
      tip(list, { x, y, ...where }, (dot) => tipText(dot, "certified bound")),
    ],
  });
}

/** The certificate against the truth. */
export const certifiedBound: FigureSpec = {
  id: "certified-bound",
  title: "Does the certificate tell the truth?",
  caption: (view) => {
    const confidence = view.data.certificate?.confidence;
    const stated = confidence == null ? "" : ` (${format.target(confidence)} confidence)`;
    return (
      `Certified bound${stated} against the rate measured with other samples, both divided by the ` +
      "target, so that 1 is the promise: good dots lie below 1 and above the diagonal, close to " +
      "it; the measured rate has an error of its own, so that a few may fall just below."
    );
  },
  missing: (view) =>
    certifiedPoints(view.all()).some((point) => point.configuration?.people?.upper?.length)
      ? null
      : "no certified method with bounds of single people was run.",
  draw: drawCertifiedBound,
  table: (view) =>
    table(dots(certifiedPoints(view.points()), "upper", view.data.rate_samples), "upper"),
};
