// SPDX-License-Identifier: Apache-2.0
// A line of numbers above each facet, one per series, in its colour and with its sign.
import * as Plot from "@observablehq/plot";
import * as format from "../../../shared/format";
import type { Series } from "../series";
import type { Facets } from "../view";

/** A share per facet; null where it is not known. */
export interface Note {
  series: Series;
  share: (fx: string, fy: string) => number | null;
}

/** Room for a sign and a share with one decimal. */
const kLeastStep = 54;

/** Writes "above target ● 0 % ■ 12 %" above every facet. */
export function facetNotes(
  facets: Facets,
  notes: readonly Note[],
  lead: string,
  width: number,
): Plot.Markish[] {
  const cells = facets.columns.flatMap((fx) => facets.rows.map((fy) => ({ fx, fy })));
  const count = Math.max(1, notes.length);
  const led = 6.2 * lead.length + 16;
  // On narrow facets the numbers come first: the caption says what they are.
  const start = (width - led) / count < kLeastStep ? 4 : led;
  const step = Math.min(78, (width - start) / count);
  const place = { fx: "fx", fy: "fy", frameAnchor: "top-left", fontSize: 11.5 } as const;
  const marks: Plot.Markish[] = [
    start < led
      ? null
      : Plot.text(cells, {
          ...place,
          text: () => lead,
          dy: -7,
          lineAnchor: "bottom",
          fill: "var(--ink-2)",
        }),
  ];
  const digits = step < kLeastStep ? 0 : 1;
  notes.forEach(({ series, share }, k) => {
    const own = cells.flatMap((cell) => {
      const value = share(cell.fx, cell.fy);
      return value === null ? [] : { ...cell, value: format.percent(value, digits) };
    });
    const dx = start + k * step;
    marks.push(
      Plot.dot(own, {
        ...place,
        symbol: series.symbol,
        r: 3.4,
        fill: series.published ? "var(--surface)" : series.color,
        stroke: series.color,
        dx,
        dy: -13,
        className: "note-sign",
      }),
      Plot.text(own, {
        ...place,
        text: "value",
        dx: dx + 9,
        dy: -7,
        lineAnchor: "bottom",
        fill: series.color,
        fontWeight: 600,
        className: `note ${series.key}`,
      }),
    );
  });
  return marks;
}
