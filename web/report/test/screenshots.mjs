// SPDX-License-Identifier: Apache-2.0
// Pictures of a report for the documentation: node report/test/screenshots.mjs REPORT.html FOLDER
// Needs the packages of package.json and a Chromium (the variable CHROMIUM, or on the PATH).
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { findChromium } from "../../test/browser.mjs";

const kWidth = 1280;
const [report, folder] = process.argv.slice(2);
if (!report || !folder) {
  console.error("usage: node report/test/screenshots.mjs REPORT.html FOLDER");
  process.exit(2);
}

const browser = await chromium.launch({
  executablePath: findChromium() ?? undefined,
  args: ["--no-sandbox", "--disable-gpu"],
});
try {
  await mkdir(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    const page = await browser.newPage({ viewport: { width: kWidth, height: 900 }, colorScheme });
    await page.goto(pathToFileURL(resolve(report)).href);
    await page.evaluate(() => window.crocoReport.renderAll());
    await page.screenshot({ path: `${folder}/top-${colorScheme}.png` });
    // What follows the reader down the page would cover the figures.
    await page.evaluate(() => {
      for (const element of document.querySelectorAll("body *")) {
        if (getComputedStyle(element).position === "sticky") element.style.position = "static";
      }
    });
    if (colorScheme === "light") {
      for (const figure of await page.locator("figure").all()) {
        const name = await figure.evaluate((element) => element.id || element.dataset.name);
        if (name) await figure.screenshot({ path: `${folder}/${name}.png` });
      }
    }
    await page.close();
  }
} finally {
  await browser.close();
}
