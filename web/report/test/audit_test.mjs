// SPDX-License-Identifier: Apache-2.0
// The page that `croco audit` writes; CROCO_AUDIT_PAGE names one, beside its audit.csv. Without it there is
// nothing to test.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser, contrast, count, describe } from "../../test/browser.mjs";
import { readCsv } from "../../test/csv.mjs";

const file = process.env.CROCO_AUDIT_PAGE;
const browser = file ? await Browser.start() : null;

const open = (options) => browser.openFile(pathToFileURL(file).href, options);

const key = (number) => Number(number).toPrecision(12);

/** A number of the CSV as the page may say it: in per cent or points, in three digits, as a count. */
function spellings(text) {
  if (text === "inf") return ["infinite", "inf"];
  const value = Number(text);
  if (text === "" || !Number.isFinite(value)) return [];
  // Ties may be rounded either way.
  const percent = [-1e-9, 0, 1e-9].map((nudge) => (100 * value + nudge).toFixed(1));
  return [...percent, value.toPrecision(3), value].map(key);
}

if (file) {
  await describe("audit", async (it) => {
    const { page, log } = await open({ viewport: { width: 1280, height: 900 } });

    await it("has a part for each attribute, with a table, curves and gaps", async () => {
      const attributes = await count(page, "h2");
      assert.ok(attributes >= 3, `${attributes}`); // two attributes and how to read it
      assert.equal(await count(page, "table.groups"), attributes - 1);
      assert.equal(await count(page, "svg.curves"), attributes - 1);
      assert.ok((await count(page, "tr.gap")) > 4);
    });

    await it("says no number that is not in the CSV", async () => {
      const rows = readCsv(readFileSync(join(dirname(file), "audit.csv"), "utf8"));
      const known = new Set(rows.flatMap((row) => Object.values(row).flatMap(spellings)));
      const said = await page.$$eval("td b, td small, .heat td", (cells) =>
        cells.flatMap((cell) => cell.textContent.match(/-?\d[\d,.]*(e[-+]?\d+)?|inf\w*/g) ?? []),
      );
      assert.ok(said.length > 50, `${said.length}`);
      const unknown = said
        .map((text) => text.replace(/[,.]$/, ""))
        .filter((text) => !known.has(/\d/.test(text) ? key(text.replace(/,/g, "")) : text));
      assert.deepEqual(unknown, []);
    });

    await it("passes the rules of axe", async () => {
      const source = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
      const found = [];
      for (const colorScheme of ["light", "dark"]) {
        // The page's own policy forbids scripts, and so the test's.
        const { page: themed } = await open({ bypassCSP: true, colorScheme });
        await themed.evaluate(source);
        const broken = await themed.evaluate(async () => {
          const { violations } = await window.axe.run(document);
          return violations.map((one) => `${one.id}: ${one.nodes.length} x ${one.nodes[0].html}`);
        });
        found.push(...broken.map((text) => `${colorScheme}: ${text}`));
      }
      assert.deepEqual(found, []);
    });

    await it("runs without complaints or requests", () => {
      assert.deepEqual(log.problems, []);
      assert.deepEqual(
        log.requests.filter((url) => !url.startsWith("file:")),
        [],
      );
    });
  });

  await describe("audit, readable", async (it) => {
    await it("in both themes: the contrast of WCAG AA", async () => {
      for (const colorScheme of ["light", "dark"]) {
        const { page } = await open({ colorScheme });
        for (const selector of [".caption", ".lead", "td small", "tbody th", "footer", ".view"]) {
          const { ratio } = await contrast(page, selector);
          assert.ok(ratio >= 4.5, `${selector}, ${colorScheme}: contrast ${ratio.toFixed(2)}`);
        }
      }
    });

    await it("at every width: the page as wide as the window, bars inside", async () => {
      for (const width of [1280, 768, 400, 320]) {
        const { page } = await open({ viewport: { width, height: 900 } });
        const found = await page.evaluate(() => ({
          page: document.documentElement.scrollWidth,
          outside: [...document.querySelectorAll(".gaps svg, svg.curves")].filter((one) => {
            const { left, right } = one.getBoundingClientRect();
            return left < 0 || right > window.innerWidth || right - left < 40;
          }).length,
        }));
        assert.ok(found.page <= width, `the page is ${found.page} wide in ${width}`);
        assert.equal(found.outside, 0, `charts outside of the page at ${width}`);
      }
    });
  });

  await browser.stop();
}
