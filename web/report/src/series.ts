// SPDX-License-Identifier: Apache-2.0
// One colour and one shape per method, the same in every figure, table and chip.
import {
  symbolCircle,
  symbolCross,
  symbolDiamond2,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
  type SymbolType,
} from "d3";
import { at, type Experiment, type Method } from "./data";

/** A look. Colours are properties of the style sheet, which knows the themes. */
export interface Look {
  color: string;
  symbol: SymbolType;
}

/** What is drawn as one line or cloud: a method's results, or what was published of one. */
export interface Series extends Look {
  /** Class of its marks: m and the method's index, or p and the number of the published method. */
  key: string;
  name: string;
  label: string;
  published: boolean;
  hasTarget: boolean;
  kind: string;
  /** Index of the method whose chip shows and hides it; null follows the published switch alone. */
  method: number | null;
}

// Okabe and Ito's colours, darkened or lightened by theme: distinguishable with any colour vision, and
// by shape when printed in grey.
const kLooks: readonly Look[] = [
  { color: "var(--c-blue)", symbol: symbolCircle },
  { color: "var(--c-vermilion)", symbol: symbolSquare },
  { color: "var(--c-green)", symbol: symbolTriangle },
  { color: "var(--c-purple)", symbol: symbolDiamond2 },
  { color: "var(--c-grey)", symbol: symbolCross },
  { color: "var(--c-amber)", symbol: symbolStar },
  { color: "var(--c-brown)", symbol: symbolWye },
  { color: "var(--c-sky)", symbol: symbolDiamond2 },
];
const kPreferred: Record<string, readonly number[]> = {
  certified: [0],
  croco: [1, 3],
  probe: [2],
  wachter: [4],
};
const kOthers: readonly number[] = [5, 6, 7, 3, 2, 1, 4, 0];

/** Gives out looks: known methods their own, others what is left. */
class Palette {
  private readonly used = new Set<number>();
  private overflow = 0;

  take(kind: string): Look {
    const wishes = [...(kPreferred[kind] ?? []), ...kOthers];
    const free = wishes.find((slot) => !this.used.has(slot));
    if (free !== undefined) {
      this.used.add(free);
      return at(kLooks, free);
    }
    // More methods than looks: the colours again, with other shapes.
    const next = this.overflow++;
    const turn = 1 + Math.floor(next / kLooks.length);
    return {
      color: at(kLooks, next % kLooks.length).color,
      symbol: at(kLooks, (next + 2 * turn) % kLooks.length).symbol,
    };
  }
}

// The method that published points are about: best the one that was run as it was published.
function ownerOf(name: string, methods: readonly Method[]): number | null {
  const candidates = [
    methods.findIndex((method) => method.kind === name && method.as_published === true),
    methods.findIndex((method) => method.name === name),
    methods.findIndex((method) => method.kind === name),
  ];
  return candidates.find((index) => index >= 0) ?? null;
}

/** Own series in the order of the methods, then the published ones in order of appearance. */
export function makeSeries(data: Experiment): { own: Series[]; published: Map<string, Series> } {
  const palette = new Palette();
  const looks = new Map<number, Look>();
  const known = (method: Method): boolean => method.kind in kPreferred;
  for (const wanted of [true, false]) {
    data.methods.forEach((method, index) => {
      if (known(method) === wanted) looks.set(index, palette.take(method.kind));
    });
  }
  const own = data.methods.map((method, index) => ({
    ...(looks.get(index) ?? at(kLooks, 0)),
    key: `m${index}`,
    name: method.name,
    label: method.label,
    kind: method.kind,
    published: false,
    hasTarget: method.has_target,
    method: index,
  }));
  const published = new Map<string, Series>();
  for (const item of data.published ?? []) {
    if (published.has(item.method_name)) continue;
    const owner = ownerOf(item.method_name, data.methods);
    const run = owner === null ? null : at(own, owner);
    const look = run ?? palette.take(item.method_name);
    const named = own.find((one) => one.name === item.method_name) ?? run;
    published.set(item.method_name, {
      key: `p${published.size}`,
      color: look.color,
      symbol: look.symbol,
      name: item.method_name,
      label: `${named?.label ?? item.method_name}, published`,
      kind: run?.kind ?? item.method_name,
      published: true,
      hasTarget: item.target != null,
      method: owner,
    });
  }
  return { own, published };
}
