// SPDX-License-Identifier: Apache-2.0
// Data for the tests: what a run of the paper's experiment looks like, in any size, from a seed.
// `node fixture.mjs TEMPLATE OUTFILE [NAME]` writes a page with the fixture of that name.
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { kDatasets, kFindings, kMethods, kOwn, kTargets, kVariances } from "./fixture_lists.mjs";

const kSamples = 100_000;
const kM = 0.1;
const kT = 0.5;

// mulberry32: small, and the same numbers everywhere.
function generator(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

const clamp = (value) => Math.min(0.9999, Math.max(0, value));
const round = (value, digits = 6) => Number(value.toPrecision(digits));
const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
const sd = (list) => {
  const m = mean(list);
  return Math.sqrt(mean(list.map((x) => (x - m) ** 2)));
};
const median = (list) => {
  const sorted = [...list].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

// How each method behaves, per person: rate, distance, time. Close to what the paper's data show.
function behave(method, random, { target, variance, scale }) {
  const spread = Math.exp(0.22 * random.normal());
  const difficulty = 1 + 9 * Math.sqrt(variance) * (0.35 - target);
  switch (method.kind) {
    case "certified": {
      const rate = clamp(target * (0.955 - 0.012 * Math.abs(random.normal())));
      return { rate, l1: scale * difficulty * spread, ms: 0.6 + 40 * variance };
    }
    case "croco": {
      const loose = method.as_published === true;
      const middle = loose
        ? 0.004 + 3.4 * variance + 0.16 * target
        : 0.0006 + 0.3 * variance * target;
      const rate = clamp(middle * Math.exp(0.3 * random.normal()));
      return { rate, l1: scale * (loose ? 1.28 : 2.4) * difficulty * spread, ms: 160 };
    }
    case "probe": {
      const runaway = random.uniform() < 0.12;
      const rate = clamp(
        target + 0.06 * random.normal() + (runaway ? 0.35 * random.uniform() : 0.02),
      );
      return {
        rate,
        l1: scale * spread * (runaway ? 30 * random.uniform() : 1.5 * difficulty),
        ms: 900,
      };
    }
    case "wachter":
      return { rate: clamp(0.475 + 0.02 * random.normal()), l1: scale * 0.8 * spread, ms: 4 };
    default:
      return {
        rate: clamp(0.9 * target * Math.exp(0.4 * random.normal())),
        l1: scale * 1.6 * spread,
        ms: null,
      };
  }
}

function configuration(random, { dataset, noise, target, method, methods, people, proved }) {
  const kind = methods[method];
  const scale = kDatasets[dataset].scale;
  const variance = kVariances[noise];
  const behaviour = Array.from({ length: people }, () =>
    behave(kind, random, { target: target ?? 0.5, variance, scale }),
  );
  const rates = behaviour.map((one) => one.rate);
  const l1 = behaviour.map((one) => round(one.l1));
  const counts = rates.map((rate) =>
    Math.max(
      0,
      Math.round(rate * kSamples + random.normal() * Math.sqrt(rate * (1 - rate) * kSamples)),
    ),
  );
  const soft = rates.map((rate) => clamp(rate + 0.035 + 0.3 * variance + 0.01 * random.normal()));
  const bound = soft.map((rate) => round((kM + rate) / (1 - kT)));
  // The certificate has draws of its own.
  const error = (rate) => Math.sqrt((rate * (1 - rate)) / kSamples);
  const upper = rates.map((rate) =>
    Math.min(target ?? 1, round(rate + (3.1 + random.normal()) * error(rate) + 3e-5)),
  );
  const certified = kind.kind === "certified";
  const over = behaviour
    .slice(0, proved)
    .map(() => round(1 + 0.02 * Math.abs(random.normal()) + 0.02 * random.uniform()));
  const share = (list) =>
    target === null ? null : list.filter((value) => value > target).length / people;
  const ms = behaviour[0].ms;
  return {
    dataset,
    noise,
    target,
    method,
    asked: people,
    advised: people,
    validity: kind.kind === "probe" ? round(0.9 + 0.1 * random.uniform(), 3) : 1,
    rule_met: kind.kind === "croco" && target < 0.2 ? 0 : 1,
    l1_mean: mean(l1),
    l1_sd: sd(l1),
    l1_median: median(l1),
    rate_mean: mean(counts) / kSamples,
    rate_sd: sd(counts) / kSamples,
    soft_rate_mean: mean(soft),
    paper_bound_mean: mean(bound),
    upper_mean: certified ? mean(upper) : null,
    rate_above_target: share(counts.map((count) => count / kSamples)),
    upper_above_target: certified ? share(upper) : null,
    over_lower_mean: certified && proved > 0 ? mean(over) : null,
    ms_per_person: ms === null ? null : round(ms * (0.7 + 0.6 * random.uniform()), 3),
    cpu_ms_per_person: ms === null ? null : round(ms * 1.3, 3),
    people: {
      rate: counts,
      l1,
      ...(kind.kind === "croco" ? { paper_bound: bound } : {}),
      ...(certified ? { upper, over_lower: over } : {}),
    },
  };
}

/** Makes an experiment. Sizes are numbers of entries, from the front of the lists. */
export function makeExperiment({
  datasets = 3,
  noises = 4,
  targets = 7,
  methods = kMethods,
  people = 500,
  proved = 60,
  published = true,
  findings = kFindings,
  seed = 1,
} = {}) {
  const random = generator(seed);
  const configurations = [];
  const list = [];
  for (let dataset = 0; dataset < datasets; ++dataset) {
    for (let noise = 0; noise < noises; ++noise) {
      methods.forEach((kind, method) => {
        for (const target of kind.has_target ? kTargets.slice(0, targets) : [null]) {
          configurations.push(
            configuration(random, { dataset, noise, target, method, methods, people, proved }),
          );
        }
      });
      if (!published) continue;
      for (const [name, factor] of [
        ["croco", 1.3],
        ["probe", 3],
      ]) {
        for (const target of kTargets.slice(0, targets)) {
          list.push({
            dataset,
            noise,
            target,
            method_name: name,
            n: people,
            validity: 1,
            l1_mean: round(kDatasets[dataset].scale * factor * (1.3 - target)),
            l1_sd: 0.05 * factor,
            rate_mean: round(target * (name === "probe" ? 1.3 : 0.3)),
            rate_sd: 0.01 * factor,
            rate_above_target: name === "probe" ? 0.6 : 0,
          });
        }
      }
      list.push({
        dataset,
        noise,
        target: null,
        method_name: "wachter",
        n: people,
        validity: 1,
        l1_mean: round(kDatasets[dataset].scale * 1.9),
        l1_sd: 0.2,
        rate_mean: 0.7,
        rate_sd: 0.14,
        rate_above_target: null,
      });
    }
  }
  return {
    format: "croco-experiment",
    version: 1,
    title: "Robust counterfactuals, the paper's experiment",
    description:
      "Every method on the same models and people, under Gaussian noise on all encoded columns.",
    croco: "0.1.0",
    rate_samples: kSamples,
    certificate: { samples: kSamples, confidence: 0.999 },
    paper_bound: { m: kM, t: kT },
    threads: 2,
    datasets: kDatasets.slice(0, datasets).map(({ scale, accuracy, auc, ...item }, i) => ({
      ...item,
      people: people + 20,
      asked: people,
      test_accuracy: i === 1 ? null : accuracy,
      test_auc: auc,
      trained: i === 0,
    })),
    noises: kVariances.slice(0, noises).map((variance) => ({
      name: String(variance),
      label: `variance ${variance}`,
      text: `gaussian:sd=${Math.sqrt(variance).toFixed(4)} on all columns`,
    })),
    targets: kTargets.slice(0, targets),
    methods: methods.map((method) => ({ as_published: false, ...method })),
    configurations,
    published: list,
    findings,
  };
}

/** The fixtures by name. */
export const kFixtures = {
  /** Every feature, small enough for quick tests. */
  small: () => makeExperiment({ datasets: 2, noises: 2, targets: 3, people: 40, proved: 20 }),
  /** The size of the paper's grid. */
  full: () => makeExperiment(),
  /** One of everything. */
  single: () =>
    makeExperiment({
      datasets: 1,
      noises: 1,
      targets: 1,
      methods: kMethods.slice(0, 1),
      people: 50,
      published: false,
      findings: [],
    }),
  /** One method without a target, rates or times of people: most figures have no data. */
  plain: () => {
    const data = makeExperiment({
      datasets: 1,
      noises: 1,
      targets: 1,
      methods: kMethods.slice(4),
      people: 30,
      published: false,
      findings: [],
    });
    for (const item of data.configurations) {
      delete item.people;
      Object.assign(item, { ms_per_person: null, rate_sd: null });
    }
    return data;
  },
  /** Holes in every optional place. */
  nulls: () => {
    const data = makeExperiment({ datasets: 2, noises: 2, targets: 3, people: 30, proved: 10 });
    data.configurations.forEach((item, i) => {
      for (const key of [
        "validity",
        "l1_mean",
        "rate_mean",
        "rate_sd",
        "rate_above_target",
        "ms_per_person",
        "upper_mean",
      ]) {
        if ((i + key.length) % 3 === 0) item[key] = null;
      }
      item.people.rate = item.people.rate.map((value, k) => (k % 5 === 0 ? null : value));
      if (item.people.over_lower) item.people.over_lower[0] = null;
      if (i % 4 === 1) delete item.people;
    });
    for (const item of data.datasets)
      Object.assign(item, { test_accuracy: null, test_auc: null, columns: null, parameters: null });
    data.published[0].l1_mean = null;
    Object.assign(data, { certificate: null, paper_bound: null, threads: null, description: null });
    return data;
  },
  /** Methods that the page has never heard of, and labels that try to be markup. */
  unknown: () =>
    makeExperiment({
      datasets: 1,
      noises: 2,
      targets: 3,
      methods: [kMethods[0], kOwn, { ...kOwn, name: "other", label: "Other" }],
      people: 30,
    }),
};

/** The page with these data, as the program writes it. */
export function fill(template, data) {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return template.split("/*croco-data*/").join(text.replaceAll("<", "\\u003c"));
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [template, outfile, name = "full"] = process.argv.slice(2);
  const make = kFixtures[name];
  if (outfile === undefined || make === undefined) {
    console.error(`usage: node fixture.mjs TEMPLATE OUTFILE [${Object.keys(kFixtures).join("|")}]`);
    process.exit(2);
  }
  await writeFile(outfile, fill(await readFile(template, "utf8"), make()));
}
