// SPDX-License-Identifier: Apache-2.0
// What each check of the server asks, in a question.

export const kChecks: Record<string, string> = {
  model: "Is it about the model that this server runs?",
  schema: "Is it about the same encoding of the entries?",
  record: "Do the records in it encode to the points that were tested?",
  plan: "Are the sample sizes and confidences ones that were planned beforehand?",
  bound: "Does the bound follow from the counts?",
  target: "Does it say correctly whether the target is met?",
  samples: "Do the same samples, made again, give the same counts?",
  fresh: "Do fresh samples, with your seed, agree with the bound?",
  statement: "Does the sentence agree with the numbers?",
  row: "Is the whole row what the program would write?",
  manifest: "Are the lines those that the run wrote?",
};

export const kLimits: readonly string[] = [
  "It says nothing about a model that is trained again, or about any other model.",
  "It covers the noise that it states, and no larger or other noise.",
  "It covers the changes that it recommends, and no other change in the person's data.",
  "It is about the model's answer, not about decisions that people make.",
  "It does not say that the model is fair or right, or that the change is easy to carry out.",
];
