// SPDX-License-Identifier: Apache-2.0
// Marks that Plot does not have, and the ones that all figures use alike.
import * as Plot from "@observablehq/plot";
import { s } from "./dom";

type Column = ArrayLike<number>;

/** Many dots: columns of equal length, and the facet of each dot where there are facets. */
export interface Dots {
  x: Column;
  y: Column;
  fx?: string[];
  fy?: string[];
}

interface CloudOptions {
  color: string;
  /** Diameter in pixels. */
  size: number;
  opacity: number;
  /** Horizontal shift of each dot in pixels. */
  shift?: Column;
  className: string;
}

// Plot documents subclassing Mark, but its types leave the constructor out.
const MarkBase = Plot.Mark as unknown as new (
  data: unknown,
  channels: Record<string, unknown>,
  options: Record<string, unknown>,
  defaults: Record<string, unknown>,
) => Plot.RenderableMark;

/**
 * Dots as one path per facet: tens of thousands of elements would make the page crawl. A dot is a
 * line of no length with round ends.
 */
class Cloud extends MarkBase {
  constructor(
    dots: Dots,
    private readonly how: CloudOptions,
  ) {
    super(
      { length: dots.x.length },
      { x: { value: dots.x, scale: "x" }, y: { value: dots.y, scale: "y" } },
      { fx: dots.fx, fy: dots.fy },
      { ariaLabel: "cloud" },
    );
  }

  override render = (
    index: number[],
    _scales: Plot.ScaleFunctions,
    values: Plot.ChannelValues,
  ): SVGElement => {
    const { color, size, opacity, shift, className } = this.how;
    const x = values.x as Column;
    const y = values.y as Column;
    let d = "";
    for (const i of index) {
      const left = (x[i] ?? NaN) + (shift?.[i] ?? 0);
      d += `M${left.toFixed(1)},${(y[i] ?? NaN).toFixed(1)}h0`;
    }
    const path = s("path", {
      d,
      fill: "none",
      stroke: color,
      "stroke-width": size,
      "stroke-linecap": "round",
      "stroke-opacity": opacity,
      "data-dots": index.length,
    });
    return s("g", { "aria-label": "cloud", class: className }, path);
  };
}

/** Dots that are drawn as one path per facet. */
export function cloud(dots: Dots, options: CloudOptions): Plot.Markish {
  return new Cloud(dots, options);
}

/** A tip at the datum nearest to the pointer; the text is made when it is wanted. */
export function tip<T>(
  data: readonly T[],
  channels: {
    x: (datum: T, index: number) => number | string | null | undefined;
    y: (datum: T, index: number) => number | string | null | undefined;
    fx: (datum: T, index: number) => string;
    fy: (datum: T, index: number) => string;
  },
  text: (datum: T) => string,
): Plot.Markish {
  return Plot.tip(
    data as T[],
    Plot.pointer({
      ...channels,
      title: (datum: T) => datum,
      format: { title: text as (datum: unknown) => string },
      maxRadius: 32,
      lineWidth: 60,
      fontSize: 12,
      lineHeight: 1.25,
      stroke: "var(--line)",
    } as Plot.TipOptions),
  );
}
