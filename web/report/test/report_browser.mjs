// SPDX-License-Identifier: Apache-2.0
// Opens the report page with given data.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser } from "../../test/browser.mjs";
import { fill, kFixtures } from "./fixture.mjs";

/** A browser, and a folder for the pages that it opens. */
export class ReportBrowser extends Browser {
  async prepare() {
    const template = process.env.CROCO_REPORT_PAGE;
    if (!template) throw new Error("CROCO_REPORT_PAGE names no page; run test/run.mjs");
    this.template = await readFile(template, "utf8");
    this.folder = await mkdtemp(join(tmpdir(), "croco-report-"));
  }

  async stop() {
    await super.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Opens a fixture by name, an experiment, or raw text in its place. */
  async open(what, options = {}) {
    const data = typeof what === "string" && kFixtures[what] ? kFixtures[what]() : what;
    const file = join(this.folder, `page-${Math.random().toString(36).slice(2)}.html`);
    await writeFile(file, fill(this.template, data));
    return { data, ...(await this.openFile(pathToFileURL(file).href, options)) };
  }
}

/** Draws every figure. */
export const renderAll = (page) => page.evaluate(() => window.crocoReport.renderAll());

/** Sum of the dots in the clouds that a selector finds. */
export const dots = (page, selector) =>
  page.$$eval(selector, (paths) =>
    paths.reduce((sum, path) => sum + (path.getAttribute("d").match(/M/g) ?? []).length, 0),
  );
