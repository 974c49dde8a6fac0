// SPDX-License-Identifier: Apache-2.0
// Figures in which a method is a curve through its targets.
import * as Plot from "@observablehq/plot";
import { ascending } from "d3";
import type { Table } from "../../../shared/csv";
import type { Canvas, FigureSpec } from "../figure";
import * as format from "../../../shared/format";
import { facetNames, ground, makeGrid } from "../layout";
import { seriesItem } from "../legend";
import { tip } from "../../../shared/marks";
import { distanceScale } from "../../../shared/scales";
import {
  kPlaceColumns,
  place,
  placeCells,
  seriesOf,
  type Numbers,
  type Point,
  type View,
} from "../view";

export interface Axis {
  key: keyof Numbers;
  label: string;
  /** The name in the tip. */
  name: string;
  text: (value: number | null | undefined) => string;
}

interface CurveOptions extends Pick<FigureSpec, "id" | "title" | "caption"> {
  x: Axis;
  y: Axis;
  /** Why there is nothing to draw. */
  reason: string;
  published: boolean;
}

/** A figure with one curve per method. */
export function curveFigure(options: CurveOptions): FigureSpec {
  const { x, y } = options;
  const complete = (point: Point): boolean =>
    point.numbers[x.key] != null && point.numbers[y.key] != null;
  const drawn = (view: View): Point[] =>
    [...view.points(), ...(options.published ? view.published() : [])]
      .filter(complete)
      .sort((a, b) => ascending(a.target ?? -1, b.target ?? -1));

  const channels = {
    x: (point: Point) => point.numbers[x.key],
    y: (point: Point) => point.numbers[y.key],
    fx: (point: Point) => point.dataset.name,
    fy: (point: Point) => point.noise.name,
  };
  const tipText = (point: Point): string => {
    const { series, target, count, numbers } = point;
    const lines = [series.label, place(point)];
    lines.push(target === null ? "no target" : `target ${format.target(target)}`);
    lines.push(`${x.name} ${x.text(numbers[x.key])}`, `${y.name} ${y.text(numbers[y.key])}`);
    if (count !== null) lines.push(`${format.whole(count)} counterfactuals`);
    return lines.join("\n");
  };

  const draw = (view: View, canvas: Canvas): SVGSVGElement | null => {
    const points = drawn(view);
    if (points.length === 0) return null;
    const all = seriesOf(points);
    const grid = makeGrid({
      ...facetNames(view),
      ...canvas,
      legend: all.map((series) => seriesItem(series, true)),
      ratio: 0.56,
    });
    const marks = all.flatMap((series) => {
      const own = points.filter((point) => point.series === series);
      const { color, symbol, published, key } = series;
      return [
        Plot.line(
          own.filter((point) => point.target !== null),
          {
            ...channels,
            stroke: color,
            strokeWidth: published ? 1.25 : 1.75,
            ...(published ? { strokeDasharray: "4,3" } : {}),
            className: `line ${key}`,
          },
        ),
        Plot.dot(own, {
          ...channels,
          symbol,
          r: canvas.print ? 2.8 : 4,
          fill: published ? "var(--surface)" : color,
          stroke: published ? color : "var(--facet)",
          strokeWidth: published ? 1.4 : 0.75,
          className: `dots ${key}`,
        }),
      ];
    });
    const distances = distanceScale(points.map((point) => point.numbers[y.key] ?? 0));
    const yAxis = { label: y.label, labelAnchor: "center" } as const;
    return grid.plot({
      x: {
        label: x.label,
        zero: true,
        nice: true,
        inset: 6,
        ticks: grid.xTicks,
        tickFormat: "%",
        labelAnchor: "center",
      },
      y: { ...distances.scale, ...yAxis, ticks: distances.ticks },
      marks: [
        ground(grid.xTicks, distances.ticks),
        distances.axis?.(yAxis),
        ...marks,
        tip(points, channels, tipText),
      ],
    });
  };

  return {
    id: options.id,
    title: options.title,
    caption: options.caption,
    missing: (view) => (view.all().some(complete) ? null : options.reason),
    draw,
    table: (view): Table => ({
      columns: [...kPlaceColumns, x.key, y.key],
      rows: drawn(view).map((point) => [
        ...placeCells(point),
        point.numbers[x.key],
        point.numbers[y.key],
      ]),
    }),
  };
}
