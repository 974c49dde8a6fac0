// SPDX-License-Identifier: Apache-2.0
import * as format from "../../../shared/format";
import { curveFigure } from "./curves";

/** The paper's Figure 3. */
export const tradeOff = curveFigure({
  id: "trade-off",
  title: "What robustness costs",
  caption: () =>
    "Each mark is a target, each line a method (the paper's Figure 3): the nearer a curve runs " +
    "to the lower left corner, the less change it asks for the same survival of noise.",
  x: {
    key: "rate_mean",
    label: "mean invalidation rate",
    name: "invalidation rate",
    text: format.rate,
  },
  y: {
    key: "l1_mean",
    label: "mean L1 distance",
    name: "L1 distance",
    text: format.significant,
  },
  reason: "no configuration has both a mean rate and a mean distance.",
  published: true,
});

/** The supplement's standard deviations. */
export const deviations = curveFigure({
  id: "deviations",
  title: "How much people differ",
  caption: () =>
    "Standard deviations over people, by target (the paper's supplement): a method that hits " +
    "its target for everyone stays at the left edge; height only says that some people have " +
    "further to go.",
  x: {
    key: "rate_sd",
    label: "standard deviation of the invalidation rate",
    name: "sd of the rate",
    text: format.rate,
  },
  y: {
    key: "l1_sd",
    label: "sd of the L1 distance",
    name: "sd of the distance",
    text: format.significant,
  },
  reason: "no configuration has standard deviations.",
  published: true,
});
