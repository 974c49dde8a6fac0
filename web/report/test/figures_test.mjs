// SPDX-License-Identifier: Apache-2.0
// Every figure draws what the data hold, counted here from the data alone.
import assert from "node:assert/strict";
import { describe, count } from "../../test/browser.mjs";
import { dots, renderAll, ReportBrowser } from "./report_browser.mjs";

const browser = await ReportBrowser.start();

const kIds = [
  "trade-off",
  "target-rate",
  "above-target",
  "certified-bound",
  "over-lower",
  "paper-bound",
  "validity",
  "deviations",
  "time",
];

await describe("figures of the small experiment", async (it) => {
  const { page, data, log } = await browser.open("small");
  await renderAll(page);
  const methods = (test) => data.methods.flatMap((method, i) => (test(method) ? [i] : []));
  const own = (i) => data.configurations.filter((item) => item.method === i);
  const facets = () => data.datasets.length * data.noises.length;

  await it("are all there, numbered, captioned and named for screen readers", async () => {
    assert.deepEqual(await page.$$eval("figure", (all) => all.map((one) => one.id)), kIds);
    for (const [i, id] of kIds.entries()) {
      assert.equal(await page.textContent(`#${id} .title .number`), String(i + 1));
      assert.ok((await page.textContent(`#${id} figcaption`)).length > 60, id);
      assert.equal(await count(page, `#${id} .buttons button`), 2);
      const drawing = page.locator(`#${id} .plot > svg`);
      assert.equal(await drawing.getAttribute("role"), "img");
      assert.ok((await drawing.getAttribute("aria-label")).length > 20, id);
    }
    assert.equal(await count(page, ".missing"), 0);
  });

  await it("head every facet", async () => {
    for (const id of kIds.filter((one) => !["validity", "time"].includes(one))) {
      const texts = await page.$$eval(`#${id} .heading text`, (all) =>
        all.map((one) => one.textContent),
      );
      assert.equal(texts.length, facets(), id);
      assert.ok(texts.includes("Adult · variance 0.005"), id);
    }
  });

  await it("curves: a mark per configuration, a line per method and facet", async () => {
    for (const id of ["trade-off", "deviations"]) {
      for (const i of methods(() => true)) {
        assert.equal(
          await count(page, `#${id} .dots.m${i} path, #${id} .dots.m${i} circle`),
          own(i).length,
        );
        const lines = data.methods[i].has_target ? facets() : 0;
        assert.equal(await count(page, `#${id} .line.m${i} path`), lines, `${id} m${i}`);
      }
    }
  });

  await it("target-rate: a dot per person, a mean and a range per configuration", async () => {
    for (const i of methods((method) => method.has_target)) {
      const people = own(i).reduce((sum, item) => sum + item.people.rate.length, 0);
      assert.equal(await dots(page, `#target-rate .cloud.m${i} path`), people);
      assert.equal(
        await count(page, `#target-rate .cloud.m${i} path`),
        facets(),
        "one path per facet",
      );
      assert.equal(await count(page, `#target-rate .range.m${i} line`), own(i).length);
      assert.equal(
        await count(page, `#target-rate .mean.m${i} path, #target-rate .mean.m${i} circle`),
        own(i).length,
      );
    }
    assert.equal(await count(page, "#target-rate .diagonal path"), facets());
  });

  await it("target-rate: says which share is above, per facet and method", async () => {
    const probe = data.methods.findIndex((method) => method.kind === "probe");
    const here = own(probe).filter((item) => item.dataset === 0 && item.noise === 0);
    const share = here.reduce((sum, item) => sum + item.rate_above_target, 0) / here.length;
    const texts = await page.$$eval(`#target-rate .note.m${probe} text`, (all) =>
      all.map((x) => x.textContent),
    );
    assert.equal(texts.length, facets());
    assert.equal(texts[0], `${(100 * share).toFixed(1).replace(/\.0$/, "")} %`);
  });

  await it("target-rate: a dot stands where its rate is", async () => {
    // The axis is linear: two means with known rates give the scale for the first dot of the cloud.
    const places = await page.evaluate(() => {
      const y = (element) =>
        element.getBoundingClientRect().y + element.getBoundingClientRect().height / 2;
      const path = document.querySelector("#target-rate .cloud.m0 path");
      const top = path.ownerSVGElement.getBoundingClientRect().y;
      const group = path.parentElement.getCTM().f;
      return {
        means: [
          ...document.querySelectorAll("#target-rate .mean.m0 circle, #target-rate .mean.m0 path"),
        ]
          .slice(0, 3)
          .map((one) => y(one) - top),
        dot: group + Number(/^M[-\d.]+,([-\d.]+)h0/.exec(path.getAttribute("d"))[1]),
      };
    });
    const here = own(0).filter((item) => item.dataset === 0 && item.noise === 0);
    const slope = (places.means[2] - places.means[0]) / (here[2].rate_mean - here[0].rate_mean);
    const rate = here[0].people.rate[0] / data.rate_samples;
    const expected = places.means[0] + slope * (rate - here[0].rate_mean);
    assert.ok(Math.abs(places.dot - expected) < 1, `${places.dot} is not ${expected}`);
  });

  await it("above-target: a stem and a mark per configuration with a target", async () => {
    for (const i of methods((method) => method.has_target)) {
      assert.equal(await count(page, `#above-target .stems.m${i} line`), own(i).length);
      assert.equal(
        await count(page, `#above-target .dots.m${i} path, #above-target .dots.m${i} circle`),
        own(i).length,
      );
    }
  });

  await it("certified-bound: a dot per certificate, in a cloud per target", async () => {
    for (const [t, target] of data.targets.entries()) {
      const people = own(0)
        .filter((item) => item.target === target)
        .reduce((sum, item) => sum + item.people.upper.length, 0);
      assert.equal(await dots(page, `#certified-bound .cloud.t${t} path`), people);
    }
  });

  await it("paper-bound: a dot per person with CROCO, diagonal and floor", async () => {
    for (const i of methods((method) => method.kind === "croco")) {
      const people = own(i).reduce((sum, item) => sum + item.people.paper_bound.length, 0);
      assert.equal(await dots(page, `#paper-bound .cloud.m${i} path`), people);
    }
    assert.equal(await count(page, "#paper-bound .floor line"), facets());
    assert.equal(await count(page, "#paper-bound .diagonal path"), facets());
    assert.match(await page.textContent("#paper-bound [aria-label=legend]"), /20 %/);
  });

  await it("over-lower: a box per facet for certified", async () => {
    for (const part of ["range", "half"]) {
      assert.equal(await count(page, `#over-lower .${part}.m0 line`), facets());
    }
    assert.equal(
      await count(page, "#over-lower .median.m0 circle, #over-lower .median.m0 path"),
      facets(),
    );
  });

  await it("validity: a cell with its number per configuration", async () => {
    const withTarget = data.configurations.filter((item) => item.target !== null);
    assert.equal(await count(page, "#validity .cells rect"), withTarget.length);
    assert.equal(
      await count(page, "#validity .cells-without-target rect"),
      data.configurations.length - withTarget.length,
    );
    const texts = await page.$$eval("#validity .validity text", (all) =>
      all.map((one) => one.textContent),
    );
    assert.equal(texts.length, data.configurations.length);
    const hundred = data.configurations.filter((item) => item.validity === 1).length;
    assert.equal(texts.filter((text) => text === "100").length, hundred);
  });

  await it("time: a mark per configuration and a median per method and dataset", async () => {
    for (const i of methods(() => true)) {
      assert.equal(
        await count(page, `#time .dots.m${i} path, #time .dots.m${i} circle`),
        own(i).length,
      );
    }
    assert.equal(
      await count(page, "#time .median line"),
      data.methods.length * data.datasets.length,
    );
  });

  await it("complain about nothing and load nothing but the file", () => {
    assert.deepEqual(log.problems, []);
    assert.deepEqual(log.requests, [log.url]);
  });
});

await describe("tips", async (it) => {
  const { page, data } = await browser.open("small");
  await renderAll(page);

  async function tipAt(id, selector) {
    const mark = page.locator(`#${id} ${selector}`).first();
    await mark.scrollIntoViewIfNeeded();
    await page.evaluate(
      (name) => document.getElementById(name).scrollIntoView({ block: "center" }),
      id,
    );
    const box = await mark.boundingBox();
    await page.mouse.move(box.x + box.width / 2 - 1, box.y + box.height / 2 - 1);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const tip = page.locator(`#${id} [aria-label="tip"] text`).first();
    await tip.waitFor();
    const text = await tip.evaluate((one) =>
      [...one.children].map((line) => line.textContent.replace("\u200b", "").trim()).join("\n"),
    );
    await page.mouse.move(0, 0);
    return text;
  }
  const first = () => data.configurations.find((item) => item.method === 0);

  await it("show method, place, target and numbers of a mark", async () => {
    const text = await tipAt("trade-off", ".dots.m0 circle, .dots.m0 path");
    assert.match(text, /^Certified\nAdult, variance 0.005\ntarget 5 %/);
    assert.match(text, new RegExp(`invalidation rate ${(100 * first().rate_mean).toFixed(2)} %`));
    assert.match(text, /40 counterfactuals/);
  });
  await it("show a cell's share", async () => {
    assert.match(
      await tipAt("validity", ".cells rect"),
      /valid: 100 % of 40\nadvice for 40 of 40 people/,
    );
  });
  await it("show a range of people", async () => {
    assert.match(
      await tipAt("target-rate", ".mean.m0 circle, .mean.m0 path"),
      /5 to 95 % of people: \d\.\d\d % to \d\.\d\d %\nabove target: 0 % of 40/,
    );
  });
  await it("show a time", async () => {
    assert.match(
      await tipAt("time", ".dots.m0 circle, .dots.m0 path"),
      /(µs|ms) per person\n.* of processor time/,
    );
  });
  await it("show a single counterfactual's bound and rate", async () => {
    assert.match(
      await tipAt("paper-bound", ".cloud path"),
      /the paper's bound \d+\.\d\d %\nmeasured rate/,
    );
    assert.match(
      await tipAt("certified-bound", ".cloud path"),
      /certified bound \d+\.\d\d %\nmeasured rate/,
    );
  });
  await it("show a box", async () => {
    assert.match(
      await tipAt("over-lower", ".half line"),
      /median 1\.\d{3}\nmiddle half 1\.\d{3} to 1\.\d{3}/,
    );
  });
});

await browser.stop();
