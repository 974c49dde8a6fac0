// SPDX-License-Identifier: Apache-2.0
// Subsets, holes, unknown methods, hostile labels, broken data, and the size of the paper's grid.
import assert from "node:assert/strict";
import { describe, count } from "../../test/browser.mjs";
import { kFixtures } from "./fixture.mjs";
import { dots, renderAll, ReportBrowser } from "./report_browser.mjs";

const browser = await ReportBrowser.start();

async function drawn(what) {
  const opened = await browser.open(what);
  await renderAll(opened.page);
  assert.deepEqual(opened.log.problems, []);
  assert.deepEqual(opened.log.requests, [opened.log.url]);
  // A NaN in a drawing is a number that should not have been drawn.
  const broken = await opened.page.$$eval("figure svg *", (all) =>
    all
      .filter((one) =>
        [...one.attributes].some((item) => /NaN|undefined|Infinity/.test(item.value)),
      )
      .map((one) => one.outerHTML.slice(0, 200)),
  );
  assert.deepEqual(broken, []);
  return opened;
}

await describe("template", async (it) => {
  await it("has the data's place once, and a policy that lets nothing in", () => {
    const { template } = browser;
    // Booleans: assert.match would print the whole page.
    const holds = (pattern) => pattern.test(template);
    assert.equal(template.split("/*croco-data*/").length, 2);
    assert.ok(
      holds(/<script type="application\/json" id="croco-data">\/\*croco-data\*\/<\/script>/),
    );
    assert.ok(holds(/"default-src 'none'; script-src 'sha256-[A-Za-z0-9+/=]{44}'; style-src/));
    assert.ok(template.length < 600_000, `${template.length} bytes`);
    for (const name of ["@observablehq/plot", "d3-scale", "valibot"]) {
      assert.ok(holds(new RegExp(`This page contains:[^]*${name} \\d`)), `the licence of ${name}`);
    }
    assert.ok(!holds(/<(script|link|img)[^>]*(src|href)=/));
  });
});

await describe("subsets", async (it) => {
  await it("one of everything", async () => {
    const { page, data } = await drawn("single");
    const missing = await page.$$eval(".missing", (all) => all.map((one) => one.textContent));
    assert.deepEqual(missing, [
      "How tight is the paper's bound? is left out: no CROCO method with bounds of single " +
        "people was run.",
    ]);
    assert.equal(await count(page, "figure .plot > svg"), 8);
    assert.equal(
      await dots(page, "#target-rate .cloud path"),
      data.configurations[0].people.rate.length,
    );
    assert.equal(await count(page, "#findings"), 0);
  });

  await it("a method without a target, people or times", async () => {
    const { page } = await drawn("plain");
    assert.equal(await count(page, "figure .plot > svg"), 2);
    assert.deepEqual(await page.$$eval(".missing", (all) => all.map((one) => one.id)), [
      "target-rate",
      "above-target",
      "certified-bound",
      "over-lower",
      "paper-bound",
      "deviations",
      "time",
    ]);
    for (const text of await page.$$eval(".missing", (all) => all.map((one) => one.textContent))) {
      assert.match(text, / is left out: .+\.$/);
    }
  });

  await it("holes are not drawn", async () => {
    const { page, data } = await drawn("nulls");
    const known = data.configurations.filter(
      (item) => item.rate_mean !== null && item.l1_mean !== null,
    );
    assert.ok(known.length < data.configurations.length);
    assert.equal(await count(page, "#trade-off .dots path, #trade-off .dots circle"), known.length);
    const rates = data.configurations
      .filter((item) => item.target !== null && item.people)
      .flatMap((item) => item.people.rate)
      .filter((value) => value !== null);
    assert.equal(await dots(page, "#target-rate .cloud path"), rates.length);
    const validity = data.configurations.filter((item) => item.validity !== null);
    assert.equal(await count(page, "#validity .validity text"), validity.length);
    assert.equal(await count(page, "#paper-bound .floor"), 0, "no floor without m and t");
  });

  await it("unknown methods get looks of their own, and labels stay text", async () => {
    const { page, data } = await drawn("unknown");
    await page.check('.chip input[value="published"]');
    await renderAll(page);
    const fills = await page.$$eval("#trade-off .dots", (all) => [
      ...new Map(
        all.map((one) => [
          one.getAttribute("class"),
          getComputedStyle(one).stroke + getComputedStyle(one).fill,
        ]),
      ).entries(),
    ]);
    assert.equal(new Set(fills.map(([, look]) => look)).size, fills.length, String(fills));
    assert.equal(await page.textContent(".chip >> nth=1"), data.methods[1].label);
    assert.equal(await count(page, "#page b b, .chip b"), 0);
    assert.match(await page.textContent("#trade-off [aria-label=legend]"), /My tool <b>&amp;<\/b>/);
  });

  await it("many magnitudes get an axis with a number at every tick", async () => {
    const data = kFixtures.small();
    for (const item of data.configurations.filter((one) => one.method === 3)) {
      item.l1_mean *= 60;
      item.people.over_lower = item.people.l1.map((_, i) => 0.9 + i);
    }
    const { page } = await drawn(data);
    const numbers = (id, axis) =>
      page.$$eval(`#${id} [aria-label="${axis}-axis tick label"] text`, (all) =>
        all.map((one) => one.textContent),
      );
    const distances = await numbers("trade-off", "y");
    for (const text of ["0.2", "0.5", "1", "2", "5", "10", "20", "50"]) {
      assert.ok(distances.includes(text), `${text} among ${distances}`);
    }
    assert.ok(!distances.includes(""), String(distances));
    const ratios = await numbers("over-lower", "x");
    assert.ok(ratios.includes("5"), String(ratios));
    const inside = await page.evaluate(() => {
      const frame = document.querySelector("#over-lower .frame").getBoundingClientRect();
      return [...document.querySelectorAll("#over-lower g.range")].every((one) => {
        const box = one.getBoundingClientRect();
        return box.width === 0 || box.left >= frame.left - 1;
      });
    });
    assert.ok(inside, "ratios below one stay in the frame");
  });

  await it("a label cannot end the data and begin a script", async () => {
    const data = kFixtures.single();
    data.title = "</script><script>window.broken = true</script>";
    const { page } = await drawn(data);
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.equal(await page.textContent("h1"), data.title);
  });
});

await describe("broken data", async (it) => {
  const change = (edit) => {
    const data = kFixtures.single();
    edit(data);
    return data;
  };
  const cases = {
    "no data at all": ["/*croco-data*/", /not JSON/],
    "text that is no JSON": ['{"format": ', /not JSON/],
    "another format": [change((data) => (data.format = "other")), /'format': .*"croco-experiment"/],
    "another version": [change((data) => (data.version = 2)), /'version': .*Expected 1/],
    "a missing list": [change((data) => delete data.methods), /'methods'/],
    "a text for a number": [
      change((data) => (data.configurations[0].rate_mean = "0.1")),
      /'configurations\.0\.rate_mean'.*number/,
    ],
    "a person's rate that is text": [
      change((data) => (data.configurations[0].people.rate[3] = "x")),
      /'configurations\.0\.people\.rate'.*numbers/,
    ],
    "an index too far": [
      change((data) => (data.configurations[0].noise = 4)),
      /configurations\.0\.noise is 4, but 'noises' has 1 entries/,
    ],
    "columns of two lengths": [
      change((data) => data.configurations[0].people.upper.pop()),
      /people\.upper has 49 entries, but people\.rate 50/,
    ],
    "a name twice": [
      change((data) => data.datasets.push(data.datasets[0])),
      /'datasets' holds 'adult' twice/,
    ],
    "a target that is missing": [
      change((data) => (data.configurations[0].target = null)),
      /configurations\.0\.target is missing/,
    ],
  };
  for (const [name, [data, message]] of Object.entries(cases)) {
    await it(`${name} is said in a sentence`, async () => {
      const { page, log } = await browser.open(data);
      assert.match(await page.textContent("[role=alert]"), message);
      assert.match(
        await page.textContent("[role=alert]"),
        /The data in this file are not those of an experiment/,
      );
      assert.equal(await count(page, "figure"), 0);
      assert.deepEqual(log.problems, []);
      await page.context().close();
    });
  }
});

await describe("the paper's grid", async (it) => {
  await it("is complete, quick, and drawn when it comes into sight", async () => {
    const { page, data, log } = await browser.open("full");
    assert.ok((await count(page, "figure .plot > svg")) < 9, "figures out of sight wait");
    const begin = Date.now();
    await renderAll(page);
    const taken = Date.now() - begin;
    const people = data.configurations
      .filter((item) => item.target !== null)
      .reduce((sum, item) => sum + item.people.rate.length, 0);
    assert.equal(people, 168_000);
    assert.equal(await dots(page, "#target-rate .cloud path"), people);
    assert.ok((await count(page, "svg *")) < 30_000, "few enough elements to scroll");
    // A generous limit: it takes a second or two on an idle machine, and tests share theirs.
    assert.ok(taken < 15_000, `${taken} ms`);
    assert.deepEqual(log.problems, []);
  });
});

await browser.stop();
