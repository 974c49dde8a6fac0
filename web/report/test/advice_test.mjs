// SPDX-License-Identifier: Apache-2.0
// The page that `croco explain --output advice.html` writes; CROCO_ADVICE_PAGE names one with alternatives,
// people who need no advice and people with several changes. Without it there is nothing to test.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { Browser, contrast, count, describe } from "../../test/browser.mjs";

const file = process.env.CROCO_ADVICE_PAGE;
const browser = file ? await Browser.start() : null;

async function open(options) {
  const { page, log } = await browser.openFile(pathToFileURL(file).href, options);
  return { page, log };
}

if (file) {
  await describe("advice", async (it) => {
    const { page, log } = await open({ viewport: { width: 1280, height: 900 } });
    const shown = () =>
      page.$$eval("article", (all) => all.filter((one) => !one.hidden).map((one) => one.id));
    const people = await shown();

    await it("has the alternatives of a person in one card", async () => {
      assert.ok(people.length >= 2, `${people}`);
      assert.ok((await count(page, "article section[id*=alternative-2]")) > 0);
      assert.ok(people.every((id) => /^row-\d+$/.test(id)));
    });

    await it("finds one person by the row, and people by words", async () => {
      await page.fill(".find input[type=search]", people[1].replace("-", " "));
      assert.deepEqual(await shown(), [people[1]]);
      assert.match(await page.textContent(".find output"), /^1 of \d+ people are shown$/);
      await page.fill(".find input[type=search]", "no such word");
      assert.deepEqual(await shown(), []);
      await page.fill(".find input[type=search]", "");
      assert.deepEqual(await shown(), people);
      assert.equal(await page.textContent(".find output"), "");
    });

    await it("filters by status", async () => {
      await page.uncheck('.find input[value="found"]');
      assert.equal(await count(page, "article.found:visible"), 0);
      assert.ok(await page.isVisible("details.already"));
      await page.check('.find input[value="found"]');
      await page.uncheck('.find input[value="already"]');
      assert.equal(await page.isVisible("details.already"), false);
      assert.deepEqual(await shown(), people);
    });

    await it("runs without complaints or requests", () => {
      assert.deepEqual(log.problems, []);
      assert.deepEqual(
        log.requests.filter((url) => !url.startsWith("file:")),
        [],
      );
    });
  });

  await describe("advice, readable", async (it) => {
    await it("in both themes: the contrast of WCAG AA", async () => {
      for (const colorScheme of ["light", "dark"]) {
        const { page } = await open({ colorScheme });
        for (const selector of [".certificate", ".facts", ".badge.found", "p.plan", "td.to"]) {
          const { ratio } = await contrast(page, selector);
          assert.ok(ratio >= 4.5, `${selector}, ${colorScheme}: contrast ${ratio.toFixed(2)}`);
        }
      }
    });

    await it("at every width: tables inside their cards, the page as wide as the window", async () => {
      for (const width of [1280, 768, 400, 320]) {
        const { page } = await open({ viewport: { width, height: 900 } });
        const found = await page.evaluate(() => ({
          page: document.documentElement.scrollWidth,
          outside: [...document.querySelectorAll("article td")].filter((cell) => {
            const card = cell.closest("article").getBoundingClientRect();
            const { left, right } = cell.getBoundingClientRect();
            return left < card.left || right > card.right || left === right;
          }).length,
        }));
        assert.ok(found.page <= width, `the page is ${found.page} wide in ${width}`);
        assert.equal(found.outside, 0, `cells outside of their cards at ${width}`);
      }
    });
  });

  await browser.stop();
}
