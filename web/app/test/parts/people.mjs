// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { count, describe } from "../../../test/browser.mjs";
import { asked, settled, until } from "../app_browser.mjs";
import { fixture } from "../mock.mjs";

export const testPeople = (browser) =>
  describe("people", async (it) => {
    const { page, log, server, done } = await browser.open("");

    await it("are found by number or value, and chosen with the keyboard", async () => {
      await page.fill("#find", "11");
      await page.waitForFunction(() =>
        /Applicant 11/.test(document.querySelector(".found li")?.textContent ?? ""),
      );
      await page.focus(".found button >> nth=0");
      await page.keyboard.press("Enter");
      await settled(page);
      assert.equal(await page.textContent(".why h2"), "Applicant 11");
      await page.click("text=Choose another person");
    });

    await it("can be typed in; what is wrong is said beside the field", async () => {
      await page.click("text=Enter a new applicant");
      await page.fill("#field-credit_amount", "a lot");
      await page.click("text=Ask for this person");
      assert.match(await page.textContent("#field-credit_amount-problem"), /must be a number/);
      await page.fill("#field-credit_amount", "4000");
      await page.click("text=Ask for this person");
      await settled(page);
      const { person } = asked(server, "explain").at(-1);
      assert.equal(person.record.credit_amount, "4000");
      assert.equal(await page.textContent(".why h2"), "New applicant");
      await page.click("text=Choose another person");
    });

    await it("can be pasted as CSV, with columns in any order", async () => {
      const { record } = fixture("people")[4];
      const names = Object.keys(record).reverse();
      const line = names.map((name) => `"${record[name]}"`).join(";");
      await page.click("text=Enter a new applicant");
      await page.click("text=Paste CSV instead");
      await page.fill("#pasted", `${names.join(";")}\n${line}\n${line}\n`);
      assert.match(await page.textContent(".paste"), /1 of 2/);
      await page.click("text=Fill in the form");
      await page.click("text=Ask for this person");
      await until(() => asked(server, "explain").at(-1).person.record?.age === record.age);
      assert.deepEqual(asked(server, "explain").at(-1).person.record, record);
      await page.click("text=Choose another person");
    });

    await it("that cannot be read are refused with a reason", async () => {
      await page.click("text=Enter a new applicant");
      await page.click("text=Paste CSV instead");
      await page.fill("#pasted", "one,two\n1,2\n");
      assert.match(await page.textContent(".paste .problem"), /No column has the name/);
      assert.equal(await count(page, "text=Fill in the form"), 0);
    });

    await it("run without complaints", () => assert.deepEqual(log.problems, []));
    await done();
  });
