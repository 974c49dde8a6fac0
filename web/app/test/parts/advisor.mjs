// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { count, describe } from "../../../test/browser.mjs";
import { asked, settled, until } from "../app_browser.mjs";

export const testAdvisor = (browser) =>
  describe("advisor", async (it) => {
    const { page, log, server, done } = await browser.open("view=advisor&row=11");
    await settled(page);

    await it("says who, what the answer is today and why", async () => {
      assert.equal(await page.textContent(".why h2"), "Applicant 11");
      assert.match(await page.textContent(".why"), /Answer today: bad/);
      assert.match(await page.textContent(".why"), /needs more than 0\.50/);
    });

    await it("shows plans from what is to what should be, with the promise in words", async () => {
      assert.equal(await count(page, ".plan"), 3);
      const plan = await page.textContent(".plan >> nth=0");
      assert.match(plan, /from.*→.*to/s);
      assert.match(plan, /Stays “good” in at least [\d.]+ of 100 cases/);
      assert.match(plan, /confidence/);
    });

    await it("chooses another plan for the letter", async () => {
      await page.click(".plan >> nth=1 >> .take");
      const action = await page.textContent(".plan >> nth=1 >> .action");
      await page.click("text=Letter to print");
      assert.equal(await page.textContent(".paper .action"), action);
      await page.fill("#letter-name", "A. Person");
      assert.match(await page.textContent(".paper"), /To A\. Person/);
      await page.emulateMedia({ media: "print" });
      assert.equal(await page.isVisible(".why"), false, "the letter alone is printed");
      assert.ok(await page.isVisible(".paper"));
      await page.emulateMedia({ media: null });
      await page.click(".letter >> text=Close");
    });

    await it("keeps the sliders folded away, and asks again when one moves", async () => {
      assert.equal(await page.isVisible("input[type=range]"), false);
      await page.click("text=Change the conditions");
      const before = asked(server, "explain").length;
      await page.focus("input[type=range] >> nth=0");
      await page.keyboard.press("ArrowRight");
      await until(() => asked(server, "explain").length > before);
      assert.equal(asked(server, "explain").at(-1).target, 0.04);
      await page.check(".fixed input >> nth=0");
      await until(() => asked(server, "explain").at(-1).features !== undefined);
      assert.deepEqual(Object.values(asked(server, "explain").at(-1).features), [{ fixed: true }]);
    });

    await it("shows a preview before the answer, and aborts what a newer question replaces", async () => {
      server.delay = 400;
      const before = asked(server, "explain").length;
      await page.focus("input[type=range] >> nth=0");
      await page.keyboard.press("ArrowLeft");
      await page.waitForSelector("text=Being certified");
      await page.keyboard.press("ArrowLeft");
      await until(() => server.aborted > 0);
      await page.waitForSelector(".plan.stale", { state: "detached" });
      assert.ok(asked(server, "explain").length >= before + 2);
      server.delay = 0;
    });

    await it("says when no change is needed", async () => {
      await page.evaluate(() => (location.hash = "#view=advisor&row=0"));
      await page.waitForSelector("text=No change is needed");
    });

    await it("says why no plan can be promised, and what holds it there", async () => {
      await page.evaluate(() => (location.hash = "#view=advisor&row=11"));
      await settled(page);
      await page.$eval(".folded", (folded) => (folded.open = true));
      for (const box of await page.locator(".fixed input").all()) await box.check();
      await page.waitForSelector("text=No plan can be promised");
      assert.match(await page.textContent(".obstacle"), /What holds it there/);
    });

    await it("runs without complaints", () => assert.deepEqual(log.problems, []));
    await done();
  });
