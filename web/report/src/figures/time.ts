// SPDX-License-Identifier: Apache-2.0
import * as Plot from "@observablehq/plot";
import { extent, group, median } from "d3";
import type { Table } from "../../../shared/csv";
import { at } from "../data";
import type { Canvas, FigureSpec } from "../figure";
import * as format from "../../../shared/format";
import { ground, makeGrid } from "../layout";
import { tip } from "../../../shared/marks";
import { logTicks } from "../../../shared/scales";
import { kPlaceColumns, place, placeCells, seriesOf, type Point, type View } from "../view";

const milliseconds = (point: Point): number => point.configuration?.ms_per_person ?? 0;
// A logarithmic axis has no place for zero.
const complete = (point: Point): boolean => milliseconds(point) > 0;
const drawn = (view: View): Point[] => view.points().filter(complete);

function tipText(point: Point): string {
  const { configuration, target } = point;
  const lines = [point.series.label, place(point)];
  if (target !== null) lines.push(`target ${format.target(target)}`);
  lines.push(`${format.duration(configuration?.ms_per_person)} per person`);
  if (configuration?.cpu_ms_per_person != null) {
    lines.push(`${format.duration(configuration.cpu_ms_per_person)} of processor time`);
  }
  return lines.join("\n");
}

function draw(view: View, canvas: Canvas): SVGSVGElement | null {
  const points = drawn(view);
  if (points.length === 0) return null;
  const series = seriesOf(points);
  const labels = new Map(series.map((one) => [one.name, one.label]));
  const datasets = new Map(view.data.datasets.map((item) => [item.name, item.label]));
  const longest = Math.max(...series.map((one) => one.label.length));
  const grid = makeGrid({
    columns: view.facets().columns,
    rows: [""],
    heading: (fx) => [datasets.get(fx) ?? fx],
    ...canvas,
    legend: [],
    facetHeight: 40 * series.length + 14,
    marginLeft: Math.min(180, 24 + 7 * longest),
  });
  const channels = {
    x: milliseconds,
    y: (point: Point) => point.series.name,
    fx: (point: Point) => point.dataset.name,
    fy: () => "",
  };
  const medians = [
    ...group(
      points,
      (point) => point.dataset,
      (point) => point.series,
    ).values(),
  ]
    .flatMap((bySeries) => [...bySeries.values()])
    .map((own) => ({ point: at(own, 0), value: median(own, milliseconds) ?? 0 }));
  const [low = 1, high = 1] = extent(points, milliseconds) as [number, number];
  // Room for the numbers at the ends, and for a power of ten beside a single time.
  const room = high / low > 10 ? 2.5 : 4;
  const ticks = logTicks(low / room, high * room, Math.min(grid.xTicks, 5));
  return grid.plot({
    x: {
      type: "log",
      domain: [low / room, high * room],
    },
    y: {
      type: "band",
      domain: series.map((one) => one.name),
      label: null,
      tickSize: 0,
      tickFormat: (name: string) => labels.get(name) ?? name,
      padding: 0.5,
      insetTop: 12,
    },
    marks: [
      ground(ticks, undefined),
      Plot.axisX({
        ticks,
        text: (value: number) => format.duration(value),
        label: "time per counterfactual",
        labelAnchor: "center",
      }),
      Plot.tickX(medians, {
        x: "value",
        y: (item: (typeof medians)[number]) => item.point.series.name,
        fx: (item: (typeof medians)[number]) => item.point.dataset.name,
        fy: () => "",
        stroke: "var(--ink)",
        strokeWidth: 2,
        className: "median",
      }),
      ...series.map((one) =>
        Plot.dot(
          points.filter((point) => point.series === one),
          {
            ...channels,
            symbol: one.symbol,
            r: 3.6,
            fill: one.color,
            fillOpacity: 0.55,
            stroke: one.color,
            strokeWidth: 0.75,
            className: `dots ${one.key}`,
          },
        ),
      ),
      Plot.text(medians, {
        x: "value",
        y: (item: (typeof medians)[number]) => item.point.series.name,
        fx: (item: (typeof medians)[number]) => item.point.dataset.name,
        fy: () => "",
        text: (item: (typeof medians)[number]) => format.duration(item.value),
        dy: -15,
        fontSize: 11.5,
        fill: "var(--ink)",
        stroke: "var(--facet)",
        strokeWidth: 3,
        className: "median-text",
      }),
      tip(points, channels, tipText),
    ],
  });
}

export const time: FigureSpec = {
  id: "time",
  title: "How long does it take?",
  caption: (view) => {
    const { threads } = view.data;
    const how = threads == null ? "" : ` with ${threads} thread${threads === 1 ? "" : "s"}`;
    return (
      `Time per counterfactual${how}, one mark per noise and target, on a logarithmic axis; the ` +
      "line and its number are the median: further left is faster."
    );
  },
  missing: (view) => (view.all().some(complete) ? null : "no times were measured."),
  draw,
  table: (view): Table => ({
    columns: [...kPlaceColumns, "ms_per_person", "cpu_ms_per_person"],
    rows: drawn(view).map((point) => [
      ...placeCells(point),
      point.configuration?.ms_per_person,
      point.configuration?.cpu_ms_per_person,
    ]),
  }),
};
