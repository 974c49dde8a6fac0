// SPDX-License-Identifier: Apache-2.0
// npm test: checks types and format, then the page in a browser. Exits with 77 without a Chromium.
// CROCO_REPORT_PAGE names the page to test; without it the sources are bundled for the occasion.
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

function main() {
  const types = run(join(root, "node_modules/typescript/bin/tsc"), "--noEmit");
  if (types !== 0) return types;
  const format = run(join(root, "node_modules/prettier/bin/prettier.cjs"), "--check", ".");
  if (format !== 0) return format;
  if (findChromium() === null) {
    console.log("skipped: no Chromium on the PATH; install it, or name one in CHROMIUM");
    return 77;
  }
  const folder = mkdtempSync(join(tmpdir(), "croco-page-"));
  try {
    if (!process.env.CROCO_REPORT_PAGE) {
      process.env.CROCO_REPORT_PAGE = join(folder, "report.html");
      const built = run("build.mjs", process.env.CROCO_REPORT_PAGE);
      if (built !== 0) return built;
    }
    const wanted = process.argv.slice(2);
    const tests = readdirSync(join(root, "test")).filter((name) => name.endsWith("_test.mjs"));
    const chosen = tests.filter(
      (name) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
    );
    return run("--test", ...chosen.map((name) => join(root, "test", name)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exit(main());
