// SPDX-License-Identifier: Apache-2.0
import type { FigureSpec } from "../figure";
import { aboveTarget } from "./above_target";
import { certifiedBound, paperBound } from "./bounds";
import { overLower } from "./over_lower";
import { targetRate } from "./target_rate";
import { time } from "./time";
import { deviations, tradeOff } from "./trade_off";
import { validity } from "./validity";

/** In the order of the page: the two questions that matter first, then what stands behind them. */
export const kFigures: readonly FigureSpec[] = [
  tradeOff,
  targetRate,
  aboveTarget,
  certifiedBound,
  overLower,
  paperBound,
  validity,
  deviations,
  time,
];
