// SPDX-License-Identifier: Apache-2.0
// node app/types.mjs OPENAPI OUTFILE: writes the types of the server's interface, from its own document.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

async function makeTypes(document) {
  const nodes = await openapiTS(JSON.parse(await readFile(document, "utf8")), { silent: true });
  return `// Made by app/types.mjs; do not edit.\n${astToString(nodes)}`;
}

const [document, outfile] = process.argv.slice(2);
if (outfile === undefined) {
  console.error("usage: node app/types.mjs OPENAPI OUTFILE");
  process.exit(2);
}
await writeFile(outfile, await makeTypes(document));
