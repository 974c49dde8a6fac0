// SPDX-License-Identifier: Apache-2.0
// Everybody can use the page: screen readers, keyboards, dark rooms and telephones.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { describe } from "../../../test/browser.mjs";
import { settled } from "../app_browser.mjs";
import { fixture } from "../mock.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const kStates = {
  advisor: "view=advisor&row=11",
  picker: "view=advisor",
  scientist: "view=scientist&row=11",
  auditor: "view=auditor",
};

/** Opens a view with everything in it that it can show. */
export async function openFull(browser, name, options) {
  const opened = await browser.open(kStates[name], options);
  const { page } = opened;
  if (name === "picker") await page.waitForSelector(".found li");
  else if (name === "auditor") {
    const { certificate } = fixture("explain")[1].answer.rows[0];
    await page.setInputFiles("#certificate-file", {
      name: "applicant-11-plan-1.certificate.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(certificate)),
    });
    await page.waitForSelector(".verdict");
  } else await settled(page);
  if (name === "scientist") {
    await page.waitForSelector("#methods tbody tr");
    await page.waitForSelector("#cloud svg");
  }
  return opened;
}

async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document));
  return violations.map(
    ({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0].html.slice(0, 160)}`,
  );
}

const kLooks = [
  { colorScheme: "light", viewport: { width: 1280, height: 900 } },
  { colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  { colorScheme: "dark", viewport: { width: 360, height: 740 } },
];

export const testAccess = (browser) =>
  describe("access", async (it) => {
    for (const name of Object.keys(kStates)) {
      await it(`axe finds nothing in the view ${name}, in both themes and at 360 px`, async () => {
        for (const look of kLooks) {
          const { page, done } = await openFull(browser, name, look);
          await page.$$eval("details", (all) => all.forEach((one) => (one.open = true)));
          const { width } = look.viewport;
          assert.deepEqual(await violations(page), [], `${look.colorScheme}, ${width} px`);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert.ok(wide <= width, `the page is ${wide} px wide in ${width}`);
          await done();
        }
      });
    }

    await it("everything that can be pressed can be reached with the tabulator key", async () => {
      const { page, done } = await openFull(browser, "advisor", {});
      const wanted = await page.locator("button:enabled:visible, summary:visible").count();
      const reached = new Set();
      for (let i = 0; i < 2 * wanted; ++i) {
        await page.keyboard.press("Tab");
        reached.add(
          await page.evaluate(() => {
            const { activeElement: element } = document;
            return ["BUTTON", "SUMMARY"].includes(element.tagName)
              ? element.textContent + element.getBoundingClientRect().top
              : "";
          }),
        );
      }
      reached.delete("");
      assert.ok(reached.size >= wanted, `${reached.size} of ${wanted}`);
      await done();
    });

    await it("the switch turns a light page dark, and screen readers hear of it", async () => {
      const { page, done } = await browser.open("view=auditor", { colorScheme: "light" });
      const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const before = await colour();
      await page.click(".theme");
      assert.notEqual(await colour(), before);
      assert.equal(await page.getAttribute(".theme", "aria-pressed"), "true");
      await done();
    });

    await it("answers are said in a live region", async () => {
      const { page, done } = await openFull(browser, "advisor", {});
      assert.match(
        await page.textContent(".unseen[role=status]"),
        /in at least [\d.]+ of 100 cases/,
      );
      await done();
    });
  });
