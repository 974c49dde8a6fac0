// SPDX-License-Identifier: Apache-2.0
// What leaves the page, how large it is, and what happens when the server does not answer.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { describe } from "../../../test/browser.mjs";
import { asked, readPage, settled, until } from "../app_browser.mjs";

const kMostBytes = 200_000;

export const testSafety = (browser) =>
  describe("safety", async (it) => {
    await it("the whole page has at most 200 kB, compressed", async () => {
      const size = gzipSync(await readPage()).length;
      assert.ok(size <= kMostBytes, `${size} bytes`);
    });

    await it("the policy allows one script by its hash and connections to the own server", async () => {
      const page = await readPage();
      const [, policy] = /Content-Security-Policy" content="([^"]*)"/.exec(page);
      assert.match(policy, /default-src 'none'; script-src 'sha256-[^ ]+';/);
      assert.match(policy, /connect-src 'self';/);
      assert.doesNotMatch(policy.replace("style-src 'unsafe-inline'", ""), /unsafe/);
      assert.doesNotMatch(page, /<[a-z][^>]*\son[a-z]+=/i);
    });

    await it("no request goes to another origin", async () => {
      const { page, log, url, done } = await browser.open("view=scientist&row=11");
      await settled(page);
      await page.waitForSelector("#methods tbody tr");
      for (const view of ["Advisor", "Auditor"]) await page.click(`nav >> text=${view}`);
      const foreign = log.requests.filter(
        (one) => !one.startsWith(url) && !one.startsWith("data:"),
      );
      assert.deepEqual(foreign, []);
      assert.deepEqual(log.problems, []);
      await done();
    });

    await it("a server that dies and comes back is noticed, and asked again", async () => {
      const { page, server, done } = await browser.open("view=advisor&row=11");
      await settled(page);
      await server.stop();
      await page.click("text=Change the conditions");
      await page.focus("input[type=range] >> nth=0");
      await page.keyboard.press("ArrowRight");
      await page.waitForSelector("text=The server does not answer");
      assert.equal(await page.textContent(".why h2"), "Applicant 11", "what was seen stays");
      const before = asked(server, "explain").length;
      server.model = { ...server.model, fingerprint: "c".repeat(64) };
      await server.start(server.port);
      await page.waitForSelector("text=The server does not answer", { state: "detached" });
      await page.waitForSelector("text=came back with another model");
      await until(() => asked(server, "explain").length > before);
      assert.equal(asked(server, "explain").at(-1).target, 0.04);
      await done();
    });

    await it("an idle page notices too", async () => {
      const { page, server, done } = await browser.open("view=auditor");
      await page.waitForSelector("footer");
      await server.stop();
      await page.waitForSelector("text=The server does not answer");
      await server.start(server.port);
      await page.waitForSelector("text=The server does not answer", { state: "detached" });
      await done();
    });

    await it("a busy server is asked again after the time it states", async () => {
      const { page, server, done } = await browser.open("view=advisor");
      await page.waitForSelector(".found li");
      const detail = "the queue is full";
      server.refuseOnce = { type: "urn:croco:busy", title: "Busy", status: 503, detail };
      await page.click(".found button >> nth=0");
      await page.waitForSelector("text=The server is busy");
      await settled(page);
      assert.equal(asked(server, "explain").length, 2);
      await done();
    });

    await it("a refused question says why", async () => {
      const { page, server, done } = await browser.open("view=advisor");
      await page.waitForSelector(".found li");
      const detail = "target is 2; it must be between 0 and 1";
      server.refuseOnce = { type: "about:blank", title: "Bad Request", status: 422, detail };
      await page.click(".found button >> nth=0");
      await page.waitForSelector(`.problem >> text=${detail}`);
      await done();
    });
  });
