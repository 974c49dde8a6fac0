// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { count, describe } from "../../../test/browser.mjs";
import { asked } from "../app_browser.mjs";
import { fixture } from "../mock.mjs";

const file = (certificate) => ({
  name: "certificate.json",
  mimeType: "application/json",
  buffer: Buffer.from(JSON.stringify(certificate)),
});

export const testAuditor = (browser) =>
  describe("auditor", async (it) => {
    const { page, log, server, done } = await browser.open("view=auditor");
    const { certificate } = fixture("explain")[1].answer.rows[0];

    await it("checks a file: every check is listed, with a seed nobody knew", async () => {
      const seed = Number(await page.inputValue("#seed"));
      await page.setInputFiles("#certificate-file", file(certificate));
      await page.waitForSelector(".verdict.good");
      assert.equal(
        await count(page, ".checks li"),
        fixture("verify")[0].answer.certificates[0].findings.length,
      );
      assert.deepEqual(asked(server, "verify").at(-1), {
        text: JSON.stringify(certificate),
        seed,
      });
      await page.click("text=Another one");
      await page.click("text=Check again");
      await page.waitForSelector(".verdict.good");
      assert.notEqual(asked(server, "verify").at(-1).seed, seed);
    });

    await it("takes a dropped file", async () => {
      const transfer = await page.evaluateHandle(
        (text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.json", { type: "application/json" }));
          return data;
        },
        JSON.stringify({ ...certificate, upper: 0.01 }),
      );
      await page.dispatchEvent(".drop", "drop", { dataTransfer: transfer });
      await page.waitForSelector(".verdict.bad");
      assert.match(await page.textContent(".verdict"), /dropped\.json/);
      assert.ok((await count(page, ".checks .fail")) > 0);
    });

    await it("says what a certificate does not say", async () => {
      assert.match(await page.textContent(".limits"), /model that is trained again/);
    });

    await it("runs without complaints", () => assert.deepEqual(log.problems, []));
    await done();
  });
