// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { describe } from "../../../test/browser.mjs";
import { asked, settled, until } from "../app_browser.mjs";

const kState =
  "view=scientist&row=11&target=0.1&confidence=0.99&alternatives=2&plan=2&noise.duration=2" +
  "&fixed=savings_status&down=duration";

export const testLinks = (browser) =>
  describe("links", async (it) => {
    await it("restore the view and the question", async () => {
      const { page, server, done } = await browser.open(kState);
      await settled(page);
      assert.deepEqual(asked(server, "explain").at(-1), {
        person: { row: 11 },
        target: 0.1,
        confidence: 0.99,
        alternatives: 2,
        noise: { spec: "schema", scales: { duration: 2 }, flips: {} },
        features: { savings_status: { fixed: true }, duration: { direction: "down" } },
      });
      assert.equal(await page.getAttribute(".choices [aria-pressed=true]", "aria-pressed"), "true");
      assert.match(await page.textContent(".choices [aria-pressed=true]"), /Plan B/);
      const { hash } = new URL(page.url());
      assert.deepEqual(
        [...new URLSearchParams(hash.slice(1))].sort(),
        [...new URLSearchParams(kState)].sort(),
      );
      await done();
    });

    await it("follow back and forward", async () => {
      const { page, done } = await browser.open("view=advisor&row=11");
      await settled(page);
      await page.click("nav >> text=Auditor");
      await page.goBack();
      await page.waitForSelector(".why");
      await page.goForward();
      await page.waitForSelector(".drop");
      await done();
    });

    await it("hold personal values only when the user asks for that", async () => {
      const { page, url, server, done } = await browser.open("", {
        permissions: ["clipboard-read", "clipboard-write"],
      });
      await page.click("text=Enter a new applicant");
      await page.fill("#field-credit_amount", "4321");
      await page.click("text=Ask for this person");
      await settled(page);
      const copied = () => page.evaluate(() => navigator.clipboard.readText());
      assert.doesNotMatch(page.url(), /4321/);
      await page.click("text=Copy link >> nth=0");
      await page.waitForSelector("text=It holds no personal values");
      assert.doesNotMatch(await copied(), /4321/);
      await page.click("text=Copy link with values");
      await page.waitForSelector("text=with the person's values");
      const link = await copied();
      assert.match(link, /4321/);

      const other = await page.context().newPage();
      await other.goto(link);
      await other.waitForSelector("text=New applicant");
      await until(() => asked(server, "explain").at(-1).person.record.credit_amount === "4321");
      await until(() => !other.url().includes("4321"));
      assert.ok(link.startsWith(url));
      await done();
    });
  });
