// SPDX-License-Identifier: Apache-2.0
// node app/test/record.mjs URL: records the fixtures from a running `croco serve`, the demonstration.
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readSse } from "./sse.mjs";

const folder = join(dirname(fileURLToPath(import.meta.url)), "fixtures");
const [base] = process.argv.slice(2);
if (base === undefined) {
  console.error("usage: node app/test/record.mjs URL");
  process.exit(2);
}

/** Somebody with advice, somebody who is accepted already, and how many are kept. */
const kPerson = 11;
const kAccepted = 0;
const kPeople = 60;

async function ask(path, body, accept = "application/json") {
  const response = await fetch(new URL(`api/v1/${path}`, base), {
    method: body === undefined ? "GET" : "POST",
    headers: { Accept: accept, ...(body && { "Content-Type": "application/json" }) },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return accept === "application/json" ? response.json() : response.text();
}

const save = (name, value) => writeFile(join(folder, `${name}.json`), `${JSON.stringify(value)}\n`);

async function explain(question, marks) {
  const events = readSse(await ask("explain", question, "text/event-stream"));
  const of = (name) => events.filter((one) => one.name === name).map((one) => one.data);
  // Certificates are in the rows too: once is enough.
  const certificates = of("certificate").map(({ certificate: _, ...rest }) => rest);
  return { question: marks, preview: of("preview")[0], answer: of("answer").at(-1), certificates };
}

const schema = await ask("schema");
await save("model", await ask("model"));
await save("schema", schema);
await save("people", (await ask(`people?limit=${kPeople}`)).people);

const explained = [];
for (const target of [0.2, 0.05, 0.02]) {
  const question = { person: { row: kPerson }, target, alternatives: 3 };
  explained.push(await explain(question, { row: kPerson, target }));
}
explained.push(await explain({ person: { row: kAccepted } }, { row: kAccepted }));
const movable = schema.features.filter(({ movement }) => movement !== "fixed");
const features = Object.fromEntries(movable.map(({ name }) => [name, { fixed: true }]));
features.duration = { minimum: 40 };
explained.push(await explain({ person: { row: kPerson }, features }, { frozen: true }));
await save("explain", explained);

const question = { row: kPerson };
const person = { person: question };
const { after } = explained[1].answer.rows[0];
await save("tradeoff", [{ question, answer: await ask("tradeoff", person) }]);
await save("cloud", [{ question, answer: await ask("cloud", { ...person, after }) }]);
await save("compare", [{ question, answer: await ask("compare", person) }]);

const { certificate } = explained[1].answer.rows[0];
const verify = async (text) => ask("verify", { text: JSON.stringify(text), seed: 90210 });
await save("verify", [
  { question: { holds: true }, answer: await verify(certificate) },
  { question: { holds: false }, answer: await verify({ ...certificate, upper: 0.03 }) },
]);
