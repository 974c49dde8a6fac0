// SPDX-License-Identifier: Apache-2.0
// node test/run.mjs check: types and format; CROCO_OPENAPI names the document of the interface. node test/run.mjs PAGE [PART ...]: the tests of a page in
// a browser, all or those whose names contain a part; exits with 77 without a Chromium.
// CROCO_REPORT_PAGE and CROCO_APP_PAGE name the page to test; without them it is bundled first.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "./browser.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function run(...args) {
  const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (error) throw error;
  return status ?? 1;
}

function check() {
  // Types come from the server's own document, so that they cannot be out of date.
  const document = process.env.CROCO_OPENAPI ?? join(root, "../croco/service/openapi.json");
  const made = run("app/types.mjs", document, "app/src/api/openapi.d.ts");
  if (made !== 0) return made;
  const types = run(join(root, "node_modules/typescript/bin/tsc"), "--noEmit");
  if (types !== 0) return types;
  return run(join(root, "node_modules/prettier/bin/prettier.cjs"), "--check", ".");
}

function test(page, wanted) {
  if (findChromium() === null) {
    console.log("skipped: no Chromium on the PATH; install it, or name one in CHROMIUM");
    return 77;
  }
  const variable = `CROCO_${page.toUpperCase()}_PAGE`;
  const folder = mkdtempSync(join(tmpdir(), "croco-page-"));
  try {
    if (!process.env[variable]) {
      process.env[variable] = join(folder, `${page}.html`);
      const built = run("build.mjs", page, process.env[variable]);
      if (built !== 0) return built;
    }
    const tests = readdirSync(join(root, page, "test")).filter((name) =>
      name.endsWith("_test.mjs"),
    );
    const chosen = tests.filter(
      (name) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
    );
    return run("--test", ...chosen.map((name) => join(root, page, "test", name)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [what, ...wanted] = process.argv.slice(2);
if (!["check", "report", "app"].includes(what)) {
  console.error("usage: node test/run.mjs check|report|app [PART ...]");
  process.exit(2);
}
process.exit(what === "check" ? check() : test(what, wanted));
