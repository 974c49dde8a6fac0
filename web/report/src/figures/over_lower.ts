// SPDX-License-Identifier: Apache-2.0
// How far from the best possible: each distance over the lower bound that was proved for it.
import * as Plot from "@observablehq/plot";
import { group } from "d3";
import type { Table } from "../../../shared/csv";
import { at } from "../data";
import type { Canvas, FigureSpec } from "../figure";
import * as format from "../../../shared/format";
import { facetNames, ground, makeGrid } from "../layout";
import { seriesItem } from "../legend";
import { tip } from "../../../shared/marks";
import { quantiles } from "../quantiles";
import { ratioScale } from "../../../shared/scales";
import { place, seriesOf, type Point, type View } from "../view";

interface Box {
  point: Point;
  count: number;
  p05: number;
  p25: number;
  p50: number;
  p75: number;
  p95: number;
}

const key = (point: Point): string =>
  JSON.stringify([point.dataset.name, point.noise.name, point.series.name]);

function boxes(view: View): Box[] {
  const groups = group(
    view.points().filter((point) => point.configuration?.people?.over_lower?.length),
    key,
  );
  return [...groups.values()].flatMap((points) => {
    const values = points.flatMap((point) => point.configuration?.people?.over_lower ?? []);
    const ratios = quantiles(values);
    if (ratios.count === 0) return [];
    return {
      point: at(points, 0),
      count: ratios.count,
      p05: ratios.at(0.05),
      p25: ratios.at(0.25),
      p50: ratios.at(0.5),
      p75: ratios.at(0.75),
      p95: ratios.at(0.95),
    };
  });
}

function draw(view: View, canvas: Canvas): SVGSVGElement | null {
  const list = boxes(view);
  if (list.length === 0) return null;
  const series = seriesOf(list.map((box) => box.point));
  const names = series.map((one) => one.name);
  const labels = new Map(series.map((one) => [one.name, one.label]));
  const longest = Math.max(...series.map((one) => one.label.length));
  const grid = makeGrid({
    ...facetNames(view),
    ...canvas,
    legend: [
      ...series.map((one) => seriesItem(one)),
      { label: "proven lower bound", color: "var(--ink)" },
    ],
    facetHeight: 26 * names.length + 16,
    marginLeft: Math.min(180, 24 + 7 * longest),
  });
  const channels = {
    y: (box: Box) => box.point.series.name,
    fx: (box: Box) => box.point.dataset.name,
    fy: (box: Box) => box.point.noise.name,
  };
  const ratios = ratioScale(
    list.flatMap((box) => [box.p05, box.p95]),
    grid.xTicks,
  );
  const xAxis = { label: "L1 distance / proven lower bound", labelAnchor: "center" } as const;
  return grid.plot({
    x: { ...ratios.scale, ...xAxis, ticks: ratios.ticks },
    y: {
      type: "band",
      domain: names,
      label: null,
      tickSize: 0,
      tickFormat: (name: string) => labels.get(name) ?? name,
      padding: 0.2,
    },
    marks: [
      ground(ratios.ticks, undefined),
      ratios.axis?.(xAxis),
      Plot.ruleX([1], { stroke: "var(--ink)", strokeWidth: 1.25, className: "lower-bound" }),
      ...series.flatMap((one) => {
        const own = list.filter((box) => box.point.series === one);
        return [
          Plot.ruleY(own, {
            ...channels,
            x1: "p05",
            x2: "p95",
            stroke: one.color,
            strokeWidth: 1.5,
            className: `range ${one.key}`,
          }),
          Plot.ruleY(own, {
            ...channels,
            x1: "p25",
            x2: "p75",
            stroke: one.color,
            strokeWidth: 7,
            strokeOpacity: 0.55,
            className: `half ${one.key}`,
          }),
          Plot.dot(own, {
            ...channels,
            x: "p50",
            symbol: one.symbol,
            r: 4,
            fill: one.color,
            stroke: "var(--facet)",
            className: `median ${one.key}`,
          }),
        ];
      }),
      tip(list, { ...channels, x: (box) => box.p50 }, tipText),
    ],
  });
}

function tipText(box: Box): string {
  const text = (value: number): string => value.toFixed(3);
  return [
    box.point.series.label,
    place(box.point),
    `median ${text(box.p50)}`,
    `middle half ${text(box.p25)} to ${text(box.p75)}`,
    `5 to 95 %: ${text(box.p05)} to ${text(box.p95)}`,
    `${format.whole(box.count)} people with a proof, over all targets`,
  ].join("\n");
}

export const overLower: FigureSpec = {
  id: "over-lower",
  title: "How far from the best possible?",
  caption: () =>
    "Distance of each counterfactual over the lower bound that was proved for its person and " +
    "target (mark: median; bar: middle half; line: 5 to 95 %): at 1.05 at most 5 % of the way " +
    "could be saved, at 1 nothing; below 1 is only who misses the target.",
  missing: (view) =>
    view.all().some((point) => point.configuration?.people?.over_lower?.some((x) => x !== null))
      ? null
      : "no lower bounds were proved in this run.",
  draw,
  table: (view): Table => ({
    columns: ["dataset", "noise", "method", "people", "p05", "p25", "p50", "p75", "p95"],
    rows: boxes(view).map(({ point, count, p05, p25, p50, p75, p95 }) => [
      point.dataset.name,
      point.noise.name,
      point.series.name,
      count,
      p05,
      p25,
      p50,
      p75,
      p95,
    ]),
  }),
};
