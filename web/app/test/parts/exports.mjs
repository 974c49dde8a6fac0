// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe } from "../../../test/browser.mjs";
import { readCsv } from "../../../test/csv.mjs";
import { settled } from "../app_browser.mjs";
import { fixture } from "../mock.mjs";

/** What a click saves: the name and the content. */
export async function saved(page, selector) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click(selector)]);
  return {
    name: download.suggestedFilename(),
    text: await readFile(await download.path(), "utf8"),
    path: await download.path(),
  };
}

export const testExports = (browser) =>
  describe("exports", async (it) => {
    const { page, server, done } = await browser.open("view=advisor&row=11&target=0.05");
    await settled(page);
    const recorded = fixture("explain").find(
      ({ question }) => question.row === 11 && question.target === 0.05,
    );

    await it("the certificate of the chosen plan, as it was sent", async () => {
      await page.click(".plan >> nth=1 >> .take");
      const { name, text } = await saved(page, "text=Certificate (JSON)");
      assert.equal(name, "applicant-11-plan-2.certificate.json");
      assert.deepEqual(JSON.parse(text), recorded.answer.rows[1].certificate);
    });

    await it("tables and reports, as the server writes them", async () => {
      await saved(page, "text=Table (CSV)");
      assert.equal(server.asked.at(-1).accept, "text/csv");
      const { name } = await saved(page, "text=Report (JSONL)");
      assert.equal(name, "applicant-11.jsonl");
      assert.equal(server.asked.at(-1).accept, "application/x-ndjson");
      assert.deepEqual(server.asked.at(-1).body, server.asked[0].body, "the same question");
    });

    await it("the letter as a file", async () => {
      await page.click("text=Letter to print");
      const { name } = await saved(page, "text=Save all plans (HTML)");
      assert.equal(name, "letter.html");
      await page.click(".letter >> text=Close");
    });

    await it("the outcomes of the cloud", async () => {
      await page.click("nav >> text=Data scientist");
      await page.waitForSelector("#cloud svg");
      const { text } = await saved(page, "text=Outcomes (CSV)");
      assert.equal(readCsv(text).length, 1000);
    });
    await done();
  });
