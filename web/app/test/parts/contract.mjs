// SPDX-License-Identifier: Apache-2.0
// The recorded answers match the document of the interface, so that the mock cannot drift from it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Ajv from "ajv/dist/2020.js";
import { describe } from "../../../test/browser.mjs";
import { certificatesOf, fixture } from "../mock.mjs";

const kOwn = join(
  dirname(fileURLToPath(import.meta.url)),
  "../../../../croco/service/openapi.json",
);

export async function makeValidator() {
  const document = JSON.parse(await readFile(process.env.CROCO_OPENAPI ?? kOwn, "utf8"));
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addSchema(document, "openapi");
  return (name, value) => {
    const check = ajv.getSchema(`openapi#/components/schemas/${name}`);
    assert.ok(check(value), `${name}: ${ajv.errorsText(check.errors)}`);
  };
}

export const testContract = () =>
  describe("fixtures", async (it) => {
    const valid = await makeValidator();
    await it("match the document of the interface", () => {
      valid("ModelAnswer", fixture("model"));
      valid("SchemaAnswer", fixture("schema"));
      for (const person of fixture("people")) valid("PersonView", person);
      for (const recorded of fixture("explain")) {
        valid("Preview", recorded.preview);
        valid("Answer", recorded.answer);
        for (const one of certificatesOf(recorded)) valid("CertificateEvent", one);
      }
      for (const [name, type] of [
        ["tradeoff", "Tradeoff"],
        ["cloud", "Cloud"],
        ["compare", "Comparison"],
        ["verify", "Verification"],
      ]) {
        for (const { answer } of fixture(name)) valid(type, answer);
      }
    });
  });
