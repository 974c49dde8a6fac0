// SPDX-License-Identifier: Apache-2.0
// The contract with the program: what the JSON inside the page holds, checked when it is loaded.
import * as v from "valibot";

/** What a fault in the data is thrown as: the message names the place and the rule. */
export class DataError extends Error {}

const text = v.string();
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const optionalNumber = v.nullish(v.number());

// The long lists of people go through one plain loop: a schema per element would take seconds.
const numbers = v.custom<(number | null)[]>(
  (value) =>
    Array.isArray(value) && value.every((item) => item === null || typeof item === "number"),
  "Invalid type: Expected a list of numbers or null",
);

const People = v.object({
  rate: v.nullish(numbers),
  l1: v.nullish(numbers),
  paper_bound: v.nullish(numbers),
  upper: v.nullish(numbers),
  over_lower: v.nullish(numbers),
});

const Dataset = v.object({
  name: text,
  label: text,
  people: count,
  asked: count,
  columns: v.nullish(count),
  continuous: v.nullish(count),
  parameters: v.nullish(count),
  test_accuracy: optionalNumber,
  test_auc: optionalNumber,
  trained: v.nullish(v.boolean()),
});

const Noise = v.object({ name: text, label: text, text: text });

const Method = v.object({
  name: text,
  label: text,
  kind: text,
  as_published: v.nullish(v.boolean()),
  has_target: v.boolean(),
  note: v.nullish(text),
});

const Configuration = v.object({
  dataset: count,
  noise: count,
  method: count,
  target: optionalNumber,
  asked: count,
  advised: count,
  validity: optionalNumber,
  rule_met: optionalNumber,
  l1_mean: optionalNumber,
  l1_sd: optionalNumber,
  l1_median: optionalNumber,
  rate_mean: optionalNumber,
  rate_sd: optionalNumber,
  soft_rate_mean: optionalNumber,
  paper_bound_mean: optionalNumber,
  upper_mean: optionalNumber,
  rate_above_target: optionalNumber,
  upper_above_target: optionalNumber,
  over_lower_mean: optionalNumber,
  ms_per_person: optionalNumber,
  cpu_ms_per_person: optionalNumber,
  people: v.nullish(People),
});

const Published = v.object({
  dataset: count,
  noise: count,
  target: optionalNumber,
  method_name: text,
  n: v.nullish(count),
  validity: optionalNumber,
  l1_mean: optionalNumber,
  l1_sd: optionalNumber,
  rate_mean: optionalNumber,
  rate_sd: optionalNumber,
  rate_above_target: optionalNumber,
});

const Finding = v.object({
  claim: text,
  source: v.nullish(text),
  verdict: text,
  number: v.nullish(text),
  detail: v.nullish(text),
});

const Experiment = v.object({
  format: v.literal("croco-experiment"),
  version: v.literal(1),
  title: text,
  description: v.nullish(text),
  croco: text,
  rate_samples: v.pipe(v.number(), v.integer(), v.minValue(1)),
  certificate: v.nullish(v.object({ samples: optionalNumber, confidence: optionalNumber })),
  paper_bound: v.nullish(v.object({ m: v.number(), t: v.number() })),
  threads: v.nullish(count),
  datasets: v.array(Dataset),
  noises: v.array(Noise),
  targets: v.array(v.number()),
  methods: v.array(Method),
  configurations: v.array(Configuration),
  published: v.nullish(v.array(Published)),
  findings: v.nullish(v.array(Finding)),
});

export type Experiment = v.InferOutput<typeof Experiment>;
export type Dataset = v.InferOutput<typeof Dataset>;
export type Noise = v.InferOutput<typeof Noise>;
export type Method = v.InferOutput<typeof Method>;
export type Configuration = v.InferOutput<typeof Configuration>;
export type Published = v.InferOutput<typeof Published>;
export type People = v.InferOutput<typeof People>;

/** The list's entry; only for indices that check_references has seen. */
export function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new DataError(`no entry ${index} in a list of ${list.length}`);
  return item;
}

function checkIndex(where: string, index: number, list: readonly unknown[], name: string): void {
  if (index < list.length) return;
  throw new DataError(`${where} is ${index}, but '${name}' has ${list.length} entries, from 0`);
}

function checkNames(list: readonly { name: string }[], name: string): void {
  const seen = new Set<string>();
  for (const item of list) {
    if (seen.has(item.name)) throw new DataError(`'${name}' holds '${item.name}' twice`);
    seen.add(item.name);
  }
}

// What a schema cannot say: indices that exist, names once, columns of one length.
function checkReferences(data: Experiment): void {
  checkNames(data.datasets, "datasets");
  checkNames(data.noises, "noises");
  checkNames(data.methods, "methods");
  data.configurations.forEach((item, i) => {
    const where = `configurations.${i}`;
    checkIndex(`${where}.dataset`, item.dataset, data.datasets, "datasets");
    checkIndex(`${where}.noise`, item.noise, data.noises, "noises");
    checkIndex(`${where}.method`, item.method, data.methods, "methods");
    if (at(data.methods, item.method).has_target && item.target == null) {
      throw new DataError(`${where}.target is missing, but its method has a target`);
    }
    const { rate, l1, paper_bound, upper } = item.people ?? {};
    for (const [name, list] of Object.entries({ l1, paper_bound, upper })) {
      if (rate && list && list.length !== rate.length) {
        throw new DataError(
          `${where}.people.${name} has ${list.length} entries, but people.rate ${rate.length}`,
        );
      }
    }
  });
  (data.published ?? []).forEach((item, i) => {
    checkIndex(`published.${i}.dataset`, item.dataset, data.datasets, "datasets");
    checkIndex(`published.${i}.noise`, item.noise, data.noises, "noises");
  });
}

/** Reads the JSON of an experiment. Throws DataError when it is none. */
export function parseExperiment(json: string): Experiment {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new DataError(`it is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  const result = v.safeParse(Experiment, value, { abortEarly: true });
  if (!result.success) {
    const [issue] = result.issues;
    const place = v.getDotPath(issue);
    throw new DataError(place ? `'${place}': ${issue.message}` : issue.message);
  }
  checkReferences(result.output);
  return result.output;
}
