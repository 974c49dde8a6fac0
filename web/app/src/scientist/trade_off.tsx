// SPDX-License-Identifier: Apache-2.0
// The trade-off curve, which is the slider of the target: point, drag or use the arrow keys.
import * as Plot from "@observablehq/plot";
import { useRef } from "preact/hooks";
import * as format from "../../../shared/format";
import type { TradeoffPoint } from "../api/types";
import { plan } from "../state/answer";
import * as choice from "../state/choice";
import { tradeoff } from "../state/more";
import { Chart } from "../ui/chart";
import { kTargets, ofHundred } from "../ui/promise_sliders";
import { nearestStop } from "../ui/slider";
import { Panel } from "./panel";

const kHeight = 270;
const kMargin = { left: 52, right: 20, top: 34, bottom: 46 };
const kLow = Math.min(...kTargets);
const kHigh = Math.max(...kTargets);

const kTicks = [0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005];
const kFewTicks = [0.3, 0.1, 0.05, 0.02, 0.01, 0.005];
const kNoPoints: readonly TradeoffPoint[] = [];

/** The top of the scale of costs. */
const mostCost = (points: readonly TradeoffPoint[]): number =>
  1.12 * Math.max(1e-9, ...points.map((point) => point.cost ?? 0));

/** Where a target is between the left and the right end, from 0 to 1. */
const shareOf = (target: number): number =>
  Math.max(0, Math.min(Math.log(target / kHigh) / Math.log(kLow / kHigh), 1));

function draw(points: readonly TradeoffPoint[], width: number): SVGElement | HTMLElement {
  const met = points.filter((point) => point.met && point.cost !== null);
  const refused = points.filter((point) => !point.met);
  return Plot.plot({
    width,
    height: kHeight,
    marginLeft: kMargin.left,
    marginRight: kMargin.right,
    marginTop: kMargin.top,
    marginBottom: kMargin.bottom,
    style: { fontSize: "12px", overflow: "visible" },
    x: { type: "log", domain: [kHigh, kLow] },
    y: { domain: [0, mostCost(points)], label: null },
    marks: [
      Plot.axisX(width < 420 ? kFewTicks : kTicks, {
        text: (value: number) => format.target(value),
        label: "may fail in at most",
        labelAnchor: "center",
        labelArrow: "none",
        tickSize: 4,
      }),
      Plot.gridY({ ticks: 4, stroke: "var(--grid)", strokeOpacity: 1 }),
      Plot.axisY({ ticks: 4, label: "cost of the change", labelAnchor: "top", tickSize: 0 }),
      Plot.ruleY([0], { stroke: "var(--frame)" }),
      Plot.line(met, { x: "target", y: "cost", stroke: "var(--c-blue)", strokeWidth: 2 }),
      Plot.dot(met, { x: "target", y: "cost", r: 4, fill: "var(--c-blue)" }),
      Plot.dot(refused, {
        x: "target",
        y: 0,
        symbol: "times",
        r: 5,
        stroke: "var(--bad)",
        strokeWidth: 2,
      }),
    ],
  });
}

/** The handle on the curve. It lies over the drawing, which need not be made again when it moves. */
function Handle({ target, height }: { target: number; height: number | null }) {
  const inner = kHeight - kMargin.top - kMargin.bottom;
  const place = `calc(${kMargin.left}px + ${shareOf(target)} * (100% - ${kMargin.left + kMargin.right}px))`;
  return (
    <div class="handle" style={{ left: place, top: `${kMargin.top}px`, height: `${inner}px` }}>
      {height !== null && <span style={{ top: `${100 * (1 - Math.min(height, 1))}%` }} />}
    </div>
  );
}

export function TradeOff() {
  const box = useRef<HTMLDivElement>(null);
  const points = tradeoff.value.value ?? kNoPoints;
  const target = choice.target.value;
  const stop = nearestStop(kTargets, target);
  const words = plan.value?.words;
  const cost = words?.steps.reduce((sum, step) => sum + step.price, 0);
  const height = cost !== undefined && cost > 0 ? cost / mostCost(points) : null;
  const set = (index: number): void => {
    const value = kTargets[Math.max(0, Math.min(index, kTargets.length - 1))];
    if (value !== undefined) choice.chosenTarget.value = value;
  };
  const point = (event: PointerEvent): void => {
    const frame = box.current?.getBoundingClientRect();
    if (frame === undefined) return;
    const inner = frame.width - kMargin.left - kMargin.right;
    const share = (event.clientX - frame.left - kMargin.left) / inner;
    set(nearestStop(kTargets, kHigh * (kLow / kHigh) ** Math.max(0, Math.min(share, 1))));
  };
  const press = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = {
      ArrowRight: stop + 1,
      ArrowUp: stop + 1,
      ArrowLeft: stop - 1,
      ArrowDown: stop - 1,
      Home: 0,
      End: kTargets.length - 1,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    set(next);
  };
  return (
    <Panel
      id="trade-off"
      title="What a stronger promise costs"
      about="Drag the curve, or use the arrow keys, to set the target. Each dot is a certified answer; a cross is a target that no advice is certified to meet."
      part={tradeoff.value}
    >
      <p class="reading">
        Target: fails in at most <b class="number">{ofHundred(target)}</b> cases
      </p>
      <div
        ref={box}
        class="curve"
        role="slider"
        tabIndex={0}
        aria-label="Target: the plan may fail in at most"
        aria-valuemin={0}
        aria-valuemax={kTargets.length - 1}
        aria-valuenow={stop}
        aria-valuetext={`${ofHundred(target)} cases`}
        onKeyDown={press}
        onPointerDown={(event) => {
          box.current?.setPointerCapture(event.pointerId);
          point(event);
        }}
        onPointerMove={(event) => {
          if (event.buttons === 1) point(event);
        }}
      >
        <Chart
          label="Cost of the change by target"
          draw={(width) => draw(points, width)}
          inputs={[points]}
        />
        <Handle target={target} height={points.length > 0 ? height : null} />
      </div>
    </Panel>
  );
}
