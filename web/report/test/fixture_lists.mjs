// SPDX-License-Identifier: Apache-2.0
// What the experiments of the tests are made of.

export const kDatasets = [
  {
    name: "adult",
    label: "Adult",
    columns: 20,
    continuous: 6,
    parameters: 1152,
    scale: 0.21,
    accuracy: 0.842,
    auc: 0.897,
  },
  {
    name: "compas",
    label: "COMPAS",
    columns: 10,
    continuous: 4,
    parameters: 652,
    scale: 0.33,
    accuracy: 0.853,
    auc: 0.851,
  },
  {
    name: "give-me-some-credit",
    label: "Give Me Some Credit",
    columns: 10,
    continuous: 10,
    parameters: 652,
    scale: 0.15,
    accuracy: 0.935,
    auc: 0.842,
  },
];
export const kVariances = [0.005, 0.01, 0.015, 0.02];
export const kTargets = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35];
export const kMethods = [
  {
    name: "certified",
    label: "Certified",
    kind: "certified",
    has_target: true,
    note: "The shortest change found whose rate is certified below the target.",
  },
  {
    name: "croco",
    label: "CROCO",
    kind: "croco",
    has_target: true,
    note: "By the paper's prose: until the bound is met and the model accepts.",
  },
  {
    name: "croco-published",
    label: "CROCO as published",
    kind: "croco",
    as_published: true,
    has_target: true,
    note: "The released loop: one block of 200 steps, whatever the bound says.",
  },
  {
    name: "probe",
    label: "PROBE",
    kind: "probe",
    has_target: true,
    note: "The first-order rate; rewards distance once its weight turns negative.",
  },
  {
    name: "wachter",
    label: "Wachter",
    kind: "wachter",
    has_target: false,
    note: "The first point that is accepted; knows no noise.",
  },
];
export const kOwn = {
  name: "my-tool",
  label: "My tool <b>&amp;</b>",
  kind: "counterfactuals",
  has_target: true,
  note: 'Read from a file: "mine".',
};

export const kFindings = [
  {
    claim: "CROCO gives robust counterfactuals: the invalidation rate stays below the target.",
    verdict: "partly",
    number: "82 %",
    detail:
      "of the configurations with the released loop; all of them by the paper's prose, at 2.4 " +
      "times the distance.",
  },
  {
    source: "section 5.2",
    claim: "CROCO has a better trade-off than PROBE.",
    verdict: "confirmed",
    number: "79 of 84",
    detail: "configurations in which its mean distance is shorter at a lower or equal rate.",
  },
  {
    claim: "The bound of the paper is tight.",
    verdict: "not confirmed",
    number: "20 %",
    detail: "is the least that it can say with m = 0.1 and t = 0.5.",
  },
  {
    claim: "The bound holds on other noise.",
    verdict: "not tested",
    number: "",
    detail: "The run has Gaussian noise alone.",
  },
];
