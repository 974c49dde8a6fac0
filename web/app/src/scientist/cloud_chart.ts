// SPDX-License-Identifier: Apache-2.0
import * as Plot from "@observablehq/plot";
import * as marks from "../../../shared/marks";
import type { Cloud } from "../api/types";
import { numeral, tidy } from "../person/values";

const kHeight = 300;

interface Dot {
  x: number;
  y: number;
  title: string;
}

/** A shift of a dot that has no place of its own within a category; the same in every picture. */
const shift = (i: number): number => (((i * 0.61803398875) % 1) - 0.5) * 0.7;

function title(cloud: Cloud, i: number): string {
  const outcome = cloud.outcomes[i];
  if (outcome === undefined) return "";
  const values = cloud.features.map(({ label, unit }, j) => {
    const value = outcome.values[j];
    const text =
      typeof value === "number" ? `${numeral(value)} ${unit}`.trim() : tidy(String(value));
    return `${label}: ${text}`;
  });
  const blame = outcome.culprits.map((j) => cloud.features[j]?.label ?? "").join(", ");
  const why = outcome.ok
    ? "stays accepted"
    : blame === ""
      ? "fails; no single entry alone made it fail"
      : `fails because of: ${blame}`;
  return [why, ...values].join("\n");
}

/** Outcomes by one noisy feature and by score; the failing ones are crosses. */
export function drawCloud(cloud: Cloud, which: number, width: number): SVGElement | HTMLElement {
  const feature = cloud.features[which];
  const levels =
    feature?.type === "categorical"
      ? [...new Set(cloud.outcomes.map(({ values }) => String(values[which])))].sort()
      : null;
  const dots = cloud.outcomes.map(({ values, score }, i): Dot => {
    const value = values[which];
    const x = levels === null ? Number(value) : levels.indexOf(String(value)) + shift(i);
    return { x, y: score ?? 0, title: title(cloud, i) };
  });
  const ok = dots.filter((_, i) => cloud.outcomes[i]?.ok);
  const failing = dots.filter((_, i) => !cloud.outcomes[i]?.ok);
  const advised =
    feature === undefined
      ? null
      : levels === null
        ? Number(feature.advised)
        : levels.indexOf(feature.advised);
  const shared = { x: "x", y: "y" } as const;
  return Plot.plot({
    width,
    height: kHeight,
    marginLeft: 52,
    marginBottom: 46,
    style: { fontSize: "12px", overflow: "visible" },
    x: levels === null ? { nice: true } : { domain: [-0.6, levels.length - 0.4] },
    y: { nice: true },
    marks: [
      Plot.gridY({ ticks: 5, stroke: "var(--grid)", strokeOpacity: 1 }),
      Plot.axisY({ ticks: 5, label: "score", tickSize: 0, labelArrow: "none" }),
      Plot.axisX({
        label: `${feature?.label ?? ""}${feature?.unit ? ` in ${feature.unit}` : ""}`,
        labelAnchor: "center",
        labelArrow: "none",
        tickSize: 4,
        ...(levels === null
          ? { ticks: Math.max(2, Math.floor(width / 90)) }
          : { ticks: levels.map((_, i) => i), tickFormat: (i: number) => tidy(levels[i] ?? "") }),
      }),
      Plot.ruleY([cloud.threshold], { stroke: "var(--ink-2)", strokeDasharray: "4,3" }),
      advised === null
        ? null
        : Plot.ruleX([advised], { stroke: "var(--accent)", strokeOpacity: 0.5 }),
      marks.cloud(
        { x: ok.map(({ x }) => x), y: ok.map(({ y }) => y) },
        { color: "var(--c-blue)", size: 4.4, opacity: 0.4, className: "ok" },
      ),
      Plot.dot(failing, {
        ...shared,
        symbol: "times",
        r: 3.6,
        stroke: "var(--bad)",
        strokeWidth: 1.8,
        className: "failing",
      }),
      Plot.tip(
        dots,
        Plot.pointer({ ...shared, title: "title", maxRadius: 24, lineWidth: 40, fontSize: 12 }),
      ),
    ],
  });
}
