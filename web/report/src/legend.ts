// SPDX-License-Identifier: Apache-2.0
// A legend inside the drawing, so that a downloaded or printed figure still explains itself.
import { symbol, type SymbolType } from "d3";
import { s } from "../../shared/dom";
import type { Series } from "./series";

export interface LegendItem {
  label: string;
  color: string;
  /** Without one, a short line stands for it. */
  symbol?: SymbolType;
  hollow?: boolean;
  /** Colour of its edge, when its own could be too faint to see. */
  edge?: string;
  dashed?: boolean;
}

const kRow = 20;
const kFontSize = 12;

let canvas: CanvasRenderingContext2D | null | undefined;
/** Width of text at the size of legends, in pixels. */
export function textWidth(text: string): number {
  if (canvas === undefined) canvas = document.createElement("canvas").getContext("2d");
  if (!canvas) return 7 * text.length;
  canvas.font = `${kFontSize}px system-ui, sans-serif`;
  return canvas.measureText(text).width;
}

export function seriesItem(series: Series, line = false): LegendItem {
  const { label, color, published } = series;
  return { label, color, symbol: series.symbol, hollow: published, dashed: published && line };
}

/** The sign of a series: chips, tables and legends show the same one. */
export function sign(item: LegendItem, size = 56): SVGGElement {
  const group = s("g");
  if (item.symbol === undefined || item.dashed) {
    group.append(
      s("line", {
        x1: -11,
        x2: 11,
        stroke: item.color,
        "stroke-width": 1.5,
        "stroke-dasharray": item.dashed ? "3,3" : "none",
      }),
    );
  }
  if (item.symbol !== undefined) {
    group.append(
      s("path", {
        d: symbol(item.symbol, size)() ?? "",
        fill: item.hollow ? "var(--surface)" : item.color,
        stroke: item.edge ?? item.color,
        "stroke-width": item.edge ? 1 : 1.5,
      }),
    );
  }
  return group;
}

export interface Legend {
  height: number;
  draw: () => SVGGElement;
}

/** Lays the items out in rows of the given width. */
export function makeLegend(items: readonly LegendItem[], left: number, width: number): Legend {
  let x = 0;
  let row = 0;
  const places = items.map((item) => {
    const length = 32 + textWidth(item.label) + 22;
    if (x > 0 && x + length > width) {
      x = 0;
      row += 1;
    }
    const here = { item, x: left + x, y: kRow * row + kRow / 2 };
    x += length;
    return here;
  });
  return {
    height: items.length === 0 ? 0 : kRow * (row + 1) + 8,
    draw: () => {
      const group = s("g", { "aria-label": "legend", "font-size": kFontSize });
      for (const { item, x: left_, y } of places) {
        const mark = sign(item);
        mark.setAttribute("transform", `translate(${left_ + 13},${y})`);
        const text = s("text", { x: left_ + 30, y, dy: "0.35em", "text-anchor": "start" });
        text.append(item.label);
        group.append(mark, text);
      }
      return group;
    },
  };
}
