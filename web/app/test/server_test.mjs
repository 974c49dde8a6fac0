// SPDX-License-Identifier: Apache-2.0
// The page on the real server. CROCO_PROGRAM names the program; without it there is nothing to test.
// CROCO_SCREENSHOTS names a folder for the pictures of the documentation. With CROCO_TEST_DATA_DIR the
// times are measured on Adult too; with CROCO_TREES, a tree ensemble of Adult, on that as well.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Browser, describe } from "../../test/browser.mjs";
import { readPage, settled, until } from "./app_browser.mjs";
import { saved } from "./parts/exports.mjs";
import { croco, program, RealServer } from "./real_server.mjs";

/** Milliseconds, as medians: what a person feels as at once, and as soon. */
const kPreview = 50;
const kCertificate = 250;
const kTreeCertificate = 1000;
/** Tests share a machine with others. */
const kSlack = process.env.CROCO_STRICT_TIMES ? 1 : 6;
const kMoves = 12;
const kPatience = 60_000;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** A browser that shows the page in the program, or the one under test where it was built without. */
class ServedBrowser extends Browser {
  async visit(server, state, options = {}) {
    const opened = await this.openFile("about:blank", options);
    opened.page.setDefaultTimeout(kPatience);
    if (!(await (await fetch(server.url)).text()).includes('<div id="page">')) {
      const html = await readPage();
      await opened.page.route(server.url, (route) =>
        route.fulfill({ contentType: "text/html; charset=utf-8", body: html }),
      );
    }
    await opened.page.goto(`${server.url}#${state}`);
    return opened;
  }
}

const shown = (page, name) => page.textContent(`.timing .${name}`);

const milliseconds = (text) => (text.endsWith(" ms") ? 1 : 1000) * parseFloat(text);

/** Times from a key press to what is then on the screen, as the page measures them. */
async function measure(page) {
  const times = { preview: [], certificate: [] };
  await page.focus(".curve");
  await page.keyboard.press("Home");
  for (let i = 0; i < kMoves; ++i) {
    await page.keyboard.press("ArrowRight");
    await until(async () => /\d/.test(await shown(page, "certified")));
    times.preview.push(milliseconds(await shown(page, "preview")));
    times.certificate.push(milliseconds(await shown(page, "certified")));
    await page.waitForTimeout(600);
  }
  return times;
}

/** Moves the curve of somebody who was refused, and compares the medians with what they may be. */
async function expectQuick(name, page, certificate) {
  const times = await measure(page);
  const found = { preview: median(times.preview), certificate: median(times.certificate) };
  console.log(`${name}: medians of ${kMoves} moves in ms: ${JSON.stringify(found)}`);
  assert.ok(found.preview <= kSlack * kPreview, `${name}: preview after ${found.preview} ms`);
  assert.ok(found.certificate <= kSlack * certificate, `${name}: after ${found.certificate} ms`);
}

/** The same on a further server: the first person whom its model refuses. */
async function testTimes(browser, name, server, certificate) {
  await server.start();
  await describe(`times on ${name}`, async (it) => {
    await it("a move of the curve shows a preview at once and a certificate soon", async () => {
      const found = await (await fetch(`${server.url}api/v1/people?decision=rejected`)).json();
      const { page } = await browser.visit(
        server,
        `view=scientist&row=${found.people[0].row}&alternatives=1`,
      );
      await page.waitForSelector("#methods tbody tr");
      await expectQuick(name, page, certificate);
      await page.context().close();
    });
  });
  await server.remove();
}

async function pictures(browser, server) {
  const folder = process.env.CROCO_SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  const shots = [
    ["advisor", "view=advisor&row=11", { width: 1100, height: 1400 }, "light"],
    ["scientist", "view=scientist&row=29", { width: 1440, height: 1250 }, "light"],
    ["scientist-dark", "view=scientist&row=29", { width: 1440, height: 1250 }, "dark"],
    ["phone", "view=advisor&row=11", { width: 360, height: 740 }, "light"],
  ];
  for (const [name, state, viewport, colorScheme] of shots) {
    const { page } = await browser.visit(server, state, { viewport, colorScheme });
    await settled(page);
    if (name.startsWith("scientist")) {
      await page.waitForSelector("#methods tbody tr");
      await page.waitForSelector("#cloud svg");
    }
    await page.screenshot({ path: join(folder, `serve-${name}.png`) });
    await page.context().close();
  }
}

if (program) {
  const browser = await ServedBrowser.start();
  const server = await RealServer.train("german");
  await server.start();
  await describe("on the real server", async (it) => {
    const { page, log } = await browser.visit(server, "view=advisor&row=11");
    await settled(page);
    let certificate = null;

    await it("an exported certificate passes croco verify", async () => {
      for (const plan of [0, 1]) {
        await page.click(`.plan >> nth=${plan} >> .take`);
        certificate = await saved(page, "text=Certificate (JSON)");
        const { code, text } = await croco("verify", certificate.path, "--model", server.model);
        assert.equal(code, 0, text);
      }
    });

    await it("tables and reports are those of the command line", async () => {
      const report = await saved(page, "text=Report (JSONL)");
      const { code, text } = await croco(
        ...["verify", report.path, "--model", server.model, "--manifest", "none"],
      );
      assert.equal(code, 0, text);
      const table = await saved(page, "text=Table (CSV)");
      assert.match(table.text.split("\n")[0], /status/);
    });

    await it("the letter of the server is saved", async () => {
      await page.click("text=Letter to print");
      const letter = await saved(page, "text=Save all plans (HTML)");
      assert.match(letter.text, /<html/i);
      await page.click(".letter >> text=Close");
    });

    await it("the auditor's view agrees with the command line", async () => {
      await page.click("nav >> text=Auditor");
      const give = (text) =>
        page.setInputFiles("#certificate-file", {
          name: certificate.name,
          mimeType: "application/json",
          buffer: Buffer.from(text),
        });
      await give(certificate.text);
      await page.waitForSelector(".verdict.good");
      await give(JSON.stringify({ ...JSON.parse(certificate.text), upper: 0.01 }));
      await page.waitForSelector(".verdict.bad");
    });

    await it("limits and noise of the page are ones that the server takes", async () => {
      await page.evaluate(
        () =>
          (location.hash =
            "#view=scientist&row=29&noise.credit_amount=500&noise.savings_status=0.05" +
            "&fixed=own_telephone&down=duration&min.credit_amount=1000"),
      );
      await page.waitForSelector("#methods tbody tr");
      await page.waitForSelector("#cloud svg");
    });

    await it("a move of the curve shows a preview at once and a certificate soon", async () => {
      await page.evaluate(() => (location.hash = "#view=scientist&row=11&alternatives=1"));
      await page.waitForSelector("#methods tbody tr");
      await expectQuick("German Credit", page, kCertificate);
    });

    await it("a server that dies and comes back is noticed", async () => {
      await server.kill();
      await page.waitForSelector("text=The server does not answer");
      await server.start();
      await page.waitForSelector("text=The server does not answer", { state: "detached" });
    });

    await it("nothing but the dead server was complained about, and nobody else was asked", () => {
      const expected =
        /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY/;
      assert.deepEqual(
        log.problems.filter((text) => !expected.test(text)),
        [],
      );
      const foreign = log.requests.filter((one) => !/^(data|blob|about):/.test(one));
      assert.deepEqual(
        foreign.filter((one) => !one.startsWith(server.url)),
        [],
      );
    });

    await it("pictures for the documentation", () => pictures(browser, server));
  });
  await server.remove();

  await describe("a server that asks for a token", async (it) => {
    const guarded = await RealServer.train("german", "--kind", "logistic", "--epochs", "5");
    const token = "a token of the test, 0123456789".replaceAll(/[ ,]/g, "-");
    await guarded.start("--token-file", await guarded.keep("token", `${token}\n`));
    const { page } = await browser.visit(guarded, "view=advisor&row=11");
    await it("the page says so, and takes one", async () => {
      await page.waitForSelector("text=The server refuses");
      assert.equal(await page.getAttribute(".banner input", "type"), "password");
      await page.fill(".banner input", "another token, just as long".replaceAll(/[ ,]/g, "-"));
      await page.click(".banner >> text=Connect");
      await page.waitForSelector("text=The server refuses");
      await page.fill(".banner input", token);
      await page.click(".banner >> text=Connect");
      await settled(page);
      assert.equal(await page.locator("text=The server refuses").count(), 0);
      assert.ok(!page.url().includes(token), "a token in the address");
    });
    await page.context().close();
    await guarded.remove();
  });

  const data = process.env.CROCO_TEST_DATA_DIR;
  if (data) {
    const adult = ["--data-dir", data];
    await testTimes(browser, "Adult", await RealServer.train("adult", ...adult), kCertificate);
    const trees = process.env.CROCO_TREES;
    if (trees) {
      const server = await RealServer.of(trees, "--data", "adult", ...adult);
      await testTimes(browser, "trees on Adult", server, kTreeCertificate);
    }
  }
  await browser.stop();
}
