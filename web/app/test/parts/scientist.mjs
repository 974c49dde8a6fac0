// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { count, describe } from "../../../test/browser.mjs";
import { asked, settled, until } from "../app_browser.mjs";

export const testScientist = (browser) =>
  describe("data scientist", async (it) => {
    const { page, log, server, done } = await browser.open("view=scientist&row=11");
    await settled(page);
    await page.waitForSelector("#methods tbody tr");
    await page.waitForSelector("#cloud svg");

    await it("sorts, searches and pages the people", async () => {
      const first = () => page.textContent(".people tbody button >> nth=0");
      const before = await first();
      await page.click(".people thead button >> nth=1");
      await page.waitForFunction(
        (old) => document.querySelector(".people tbody button")?.textContent !== old,
        before,
      );
      assert.equal(await count(page, "th[aria-sort=ascending]"), 1);
      await page.selectOption(".filters select >> nth=0", "");
      await page.waitForFunction(() =>
        /^60 of 60/.test(document.querySelector(".pager span").textContent),
      );
      await page.click(".pager >> text=Next");
      await page.waitForSelector(".pager >> text=Previous");
      await page.fill("#search-people", "business");
      await page.waitForFunction(
        () => !/^60 of/.test(document.querySelector(".pager span").textContent),
      );
      assert.ok(await page.isDisabled(".pager >> text=Previous"));
    });

    await it("moves the target along the curve, with keys and with the pointer", async () => {
      await page.focus(".curve");
      await page.keyboard.press("ArrowRight");
      await until(() => asked(server, "explain").at(-1).target === 0.04);
      assert.equal(await page.getAttribute(".curve", "aria-valuetext"), "4 of 100 cases");
      await page.keyboard.press("Home");
      await until(() => asked(server, "explain").at(-1).target === 0.3);
      const box = await page.locator(".curve").boundingBox();
      await page.mouse.click(box.x + box.width - 21, box.y + 80);
      await until(() => asked(server, "explain").at(-1).target === 0.005);
      assert.equal(asked(server, "tradeoff").length, 1, "the curve itself does not change");
    });

    await it("states noise by feature in its units, on top of the schema's", async () => {
      await page.locator('.features tr:has-text("Amount of the credit") input[type=range]').focus();
      await page.keyboard.press("ArrowRight");
      await until(() => asked(server, "explain").at(-1).noise !== undefined);
      const { noise } = asked(server, "explain").at(-1);
      assert.deepEqual(noise, { spec: "schema", scales: { credit_amount: 275 }, flips: {} });
    });

    await it("locks features, limits directions and ranges", async () => {
      const row = (name) => page.locator(`.features tr:has-text("${name}")`);
      await row("Savings in DM").locator("select").selectOption("fixed");
      await row("Duration of the credit").locator("select").selectOption("down");
      await row("Amount of the credit").locator("input[type=number] >> nth=1").fill("5000");
      await page.keyboard.press("Tab");
      await until(() => asked(server, "explain").at(-1).features?.credit_amount !== undefined);
      assert.deepEqual(asked(server, "explain").at(-1).features, {
        savings_status: { fixed: true },
        duration: { direction: "down" },
        credit_amount: { maximum: 5000 },
      });
      await page.click("text=Back to the stated limits and noise");
      await until(() => asked(server, "explain").at(-1).features === undefined);
    });

    await it("limits the values of a category, down to one", async () => {
      const row = page.locator('.features tr:has-text("Savings in DM")');
      await row.locator("summary").click();
      const boxes = row.locator("input[type=checkbox]");
      const all = await boxes.count();
      for (let i = 1; i < all; ++i) await boxes.nth(i).uncheck();
      assert.ok(await boxes.nth(0).isDisabled(), "the last one stays");
      assert.equal(await row.locator("summary").textContent(), `1 of ${all}`);
      await until(
        () => asked(server, "explain").at(-1).features?.savings_status?.levels?.length === 1,
      );
      for (let i = 1; i < all; ++i) await boxes.nth(i).check();
      await until(() => asked(server, "explain").at(-1).features === undefined);
      assert.equal(await row.locator("summary").textContent(), "any value");
    });

    await it("draws a thousand outcomes, marks the failing ones and says what made them fail", async () => {
      await page.waitForFunction(
        () => document.querySelectorAll("#cloud .failing path").length > 0,
      );
      const dots = async () => Number(await page.getAttribute("#cloud .ok path", "data-dots"));
      const ok = await dots();
      const failing = await count(page, "#cloud .failing path");
      assert.equal(ok + failing, 1000);
      assert.equal(asked(server, "cloud").at(-1).count, 1000);
      assert.match(await page.textContent("#cloud .blame caption"), new RegExp(`made ${failing} `));
      await page.selectOption("#cloud select", { index: 3 });
      assert.equal(await dots(), ok);
    });

    await it("puts four methods side by side", async () => {
      assert.equal(await count(page, "#methods tbody tr"), 4);
      assert.match(await page.textContent("#methods tbody tr >> nth=0"), /Certified.*%/s);
    });

    await it("runs without complaints", () => assert.deepEqual(log.problems, []));
    await done();

    await it("brings the answer into sight on a phone", async () => {
      const phone = await browser.open("view=scientist", { viewport: { width: 360, height: 740 } });
      await phone.page.click(".people tbody button >> nth=2");
      await settled(phone.page);
      const top = await phone.page.evaluate(
        () => document.querySelector(".bench").getBoundingClientRect().top,
      );
      assert.ok(top < 370, `the answer begins at ${top} px of 740`);
      await phone.done();
    });
  });
