// SPDX-License-Identifier: Apache-2.0
// The grid of small multiples that most figures share: datasets in columns, noises in rows.
import * as Plot from "@observablehq/plot";
import { makeLegend, textWidth, type LegendItem } from "./legend";
import type { Facets, View } from "./view";

export interface GridOptions {
  columns: string[];
  rows: string[];
  /** The heading above each facet, in parts that stand on one line if they fit. */
  heading: (column: string, row: string) => string[];
  width: number;
  print: boolean;
  legend: readonly LegendItem[];
  /** Height of a facet over its width, before the limits. */
  ratio?: number;
  /** A fixed height of a facet. */
  facetHeight?: number;
  maxFacetWidth?: number;
  marginLeft?: number;
  /** Room for a second line under the heading. */
  noteHeight?: number;
  /** Room between columns; more when each has labels of its own. */
  gapX?: number;
}

export interface Grid {
  width: number;
  height: number;
  facetWidth: number;
  facetHeight: number;
  /** How many numbers fit on the x-axis of a facet. */
  xTicks: number;
  /** Draws the marks in the grid, under its headings and its legend. */
  plot: (options: Plot.PlotOptions & { marks: Plot.Markish[] }) => SVGSVGElement;
}

const kHeading = 22;
const kHeadingLine = 15;
/** What fits on a page of A4 or letter paper under the title and the caption. */
const kPrintHeight = 790;
/** A legend needs this much, however small the facets. */
const kLeastWidth = 560;
const kMarginRight = 16;
const kMarginBottom = 46;
export const kFontSize = 12;

const clamp = (low: number, value: number, high: number): number =>
  Math.max(low, Math.min(value, high));

/** Sizes, facet scales and headings for a grid that fits the width, or scrolls. */
export function makeGrid(options: GridOptions): Grid {
  const { columns, rows, width, print, heading } = options;
  const marginLeft = options.marginLeft ?? 58;
  const gapX = options.gapX ?? (print ? 22 : 40);
  const note = options.noteHeight ?? 0;
  const n = Math.max(1, columns.length);
  const m = Math.max(1, rows.length);

  const room = Math.floor((width - marginLeft - kMarginRight - (n - 1) * gapX) / n);
  const facetWidth = clamp(print ? 150 : 230, room, options.maxFacetWidth ?? (n > 1 ? 620 : 760));
  const facets = columns.flatMap((fx) => rows.map((fy) => ({ fx, fy, parts: heading(fx, fy) })));
  // The headings' bold type is slightly larger than the legend's.
  const widest = Math.max(0, ...facets.map(({ parts }) => 1.15 * textWidth(parts.join(" · "))));
  const split = widest > facetWidth + gapX - 10 && facets.some(({ parts }) => parts.length > 1);
  const above = kHeading + (split ? kHeadingLine : 0) + note;
  const gapY = above + 14;

  const facetsWidth = marginLeft + n * facetWidth + (n - 1) * gapX;
  const totalWidth = Math.max(facetsWidth + kMarginRight, Math.min(width, kLeastWidth));
  const legend = makeLegend(options.legend, 8, totalWidth - 16);
  const marginTop = legend.height + above;
  const printable = (kPrintHeight - marginTop - kMarginBottom - (m - 1) * gapY) / m;
  const wanted = options.facetHeight ?? clamp(150, facetWidth * (options.ratio ?? 0.5), 360);
  const facetHeight = Math.round(
    print ? Math.min(options.facetHeight ?? wanted * 1.35, Math.max(60, printable)) : wanted,
  );
  const totalHeight = marginTop + m * facetHeight + (m - 1) * gapY + kMarginBottom;

  const headings = Plot.text(facets, {
    fx: "fx",
    fy: "fy",
    text: ({ parts }: (typeof facets)[number]) => parts.join(split ? "\n" : " · "),
    frameAnchor: "top-left",
    dy: -8 - note,
    fontWeight: 600,
    fontSize: 12.5,
    lineAnchor: "bottom",
    className: "heading",
  });
  const shared: Plot.PlotOptions = {
    width: totalWidth,
    height: totalHeight,
    marginLeft,
    marginRight: totalWidth - facetsWidth,
    marginTop,
    marginBottom: kMarginBottom,
    style: { fontSize: `${kFontSize}px`, overflow: "visible" },
    fx: { domain: columns, axis: null, padding: 0, paddingInner: gapX / (facetWidth + gapX) },
    fy: { domain: rows, axis: null, padding: 0, paddingInner: gapY / (facetHeight + gapY) },
  };
  return {
    width: totalWidth,
    height: totalHeight,
    facetWidth,
    facetHeight,
    xTicks: clamp(2, Math.floor(facetWidth / 62), 7),
    plot: ({ marks, ...rest }) => {
      const drawing = Plot.plot({ ...shared, ...rest, marks: [...marks, headings] });
      if (!(drawing instanceof SVGSVGElement)) throw new Error("a plot with parts outside its SVG");
      if (legend.height > 0) drawing.append(legend.draw());
      return drawing;
    },
  };
}

/** Datasets in columns, noises in rows, each facet named by both. */
export function facetNames(view: View): Facets & { heading: (fx: string, fy: string) => string[] } {
  const { columns, rows } = view.facets();
  const datasets = new Map(view.data.datasets.map((item) => [item.name, item.label]));
  const noises = new Map(view.data.noises.map((item) => [item.name, item.label]));
  return {
    columns,
    rows,
    heading: (fx, fy) => [datasets.get(fx) ?? fx, noises.get(fy) ?? fy],
  };
}

type Ticks = number | readonly number[];

/** The quiet frame and grid lines under the marks of every facet; ticks as the axes have them. */
export function ground(x: Ticks | undefined, y: Ticks | undefined): Plot.Markish[] {
  const look = { stroke: "var(--grid)", strokeOpacity: 1 };
  return [
    Plot.frame({ stroke: "none", fill: "var(--facet)", className: "frame" }),
    x === undefined ? null : Plot.gridX({ ...look, ticks: x as number | number[] }),
    y === undefined ? null : Plot.gridY({ ...look, ticks: y as number | number[] }),
    Plot.frame({ stroke: "var(--frame)" }),
  ];
}
