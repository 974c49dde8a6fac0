// SPDX-License-Identifier: Apache-2.0
// What the buttons save: the numbers drawn, and a drawing that stands alone.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe } from "../../test/browser.mjs";
import { readCsv } from "../../test/csv.mjs";
import { renderAll, ReportBrowser } from "./report_browser.mjs";

const browser = await ReportBrowser.start();

// Figures are drawn before their buttons are pressed: drawing while Playwright scrolls to a button
// moves it, and lets the press last as long as all the drawings on the way.
async function openDrawn(what, options = {}) {
  const opened = await browser.open(what, options);
  await renderAll(opened.page);
  return opened;
}

async function download(page, id, label) {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.click(`#${id} .buttons button:has-text("${label}")`),
  ]);
  assert.equal(file.suggestedFilename(), `${id}.${label.toLowerCase()}`);
  return readFile(await file.path(), "utf8");
}

const place = (data, item, source = "measured") => ({
  dataset: data.datasets[item.dataset].name,
  noise: data.noises[item.noise].name,
  method: item.method_name ?? data.methods[item.method].name,
  source,
  target: item.target === null ? "" : String(item.target),
});
const sorted = (rows) => rows.map((row) => JSON.stringify(row)).sort();

await describe("CSV", async (it) => {
  const { page, data } = await openDrawn("small");
  const expectRows = async (id, rows) =>
    assert.deepEqual(sorted(readCsv(await download(page, id, "CSV"))), sorted(rows));
  const configurations = (test = () => true) => data.configurations.filter(test);
  const numbers = (item, ...keys) =>
    Object.fromEntries(keys.map((key) => [key, String(item[key] ?? "")]));

  await it("of marks: one row per configuration, with its numbers in full", async () => {
    const expected = {
      "trade-off": [["rate_mean", "l1_mean"], () => true],
      deviations: [["rate_sd", "l1_sd"], () => true],
      validity: [["validity"], () => true],
      "above-target": [["rate_above_target"], (item) => item.target !== null],
      time: [["ms_per_person", "cpu_ms_per_person"], () => true],
    };
    for (const [id, [keys, test]] of Object.entries(expected)) {
      await expectRows(
        id,
        configurations(test).map((item) => ({ ...place(data, item), ...numbers(item, ...keys) })),
      );
    }
  });

  await it("of clouds: one row per counterfactual", async () => {
    const bounds = (kind, key) =>
      configurations((item) => data.methods[item.method].kind === kind).flatMap((item) =>
        item.people[key].map((value, i) => ({
          ...place(data, item),
          [key]: String(value),
          rate: String(item.people.rate[i] / data.rate_samples),
        })),
      );
    await expectRows("paper-bound", bounds("croco", "paper_bound"));
    await expectRows("certified-bound", bounds("certified", "upper"));
  });

  await it("of target against rate: the counterfactuals, then mean, range and share", async () => {
    const rows = readCsv(await download(page, "target-rate", "CSV"));
    const people = configurations((item) => item.target !== null).flatMap((item) =>
      item.people.rate.map((value) => ({
        ...place(data, item),
        layer: "counterfactual",
        rate: String(value / data.rate_samples),
        rate_p05: "",
        rate_p95: "",
        rate_above_target: "",
      })),
    );
    assert.deepEqual(sorted(rows.filter((row) => row.layer === "counterfactual")), sorted(people));
    const means = rows.filter((row) => row.layer === "mean");
    assert.equal(means.length, configurations((item) => item.target !== null).length);
    for (const row of means) {
      const own = people
        .filter((one) =>
          ["dataset", "noise", "method", "target"].every((key) => one[key] === row[key]),
        )
        .map((one) => Number(one.rate))
        .sort((a, b) => a - b);
      // 40 people: the 5 % quantile lies 0.95 of the way from the second to the third.
      const between = (i, part) => own[i] + part * (own[i + 1] - own[i]);
      assert.ok(Math.abs(Number(row.rate_p05) - between(1, 0.95)) < 1e-12, "5 % quantile");
      assert.ok(Math.abs(Number(row.rate_p95) - between(37, 0.05)) < 1e-12, "95 % quantile");
    }
  });

  await it("of the distance over the lower bound: the quantiles of everybody proved", async () => {
    const rows = readCsv(await download(page, "over-lower", "CSV"));
    assert.equal(rows.length, data.datasets.length * data.noises.length);
    for (const row of rows) {
      const values = configurations(
        (item) =>
          item.method === 0 &&
          data.datasets[item.dataset].name === row.dataset &&
          data.noises[item.noise].name === row.noise,
      )
        .flatMap((item) => item.people.over_lower)
        .sort((a, b) => a - b);
      assert.equal(Number(row.people), values.length);
      const middle = (values[values.length / 2 - 1] + values[values.length / 2]) / 2;
      assert.ok(Math.abs(Number(row.p50) - middle) < 1e-9);
      assert.ok(Number(row.p05) < Number(row.p25) && Number(row.p75) < Number(row.p95));
    }
  });

  await it("follows the chips and the published switch", async () => {
    await page.uncheck('.chip input[value="probe"]');
    await page.check('.chip input[value="published"]');
    await renderAll(page);
    const probe = data.methods.findIndex((method) => method.name === "probe");
    const rows = [
      ...configurations((item) => item.method !== probe).map((item) => ({
        ...place(data, item),
        ...numbers(item, "rate_mean", "l1_mean"),
      })),
      ...data.published
        .filter((item) => item.method_name !== "probe")
        .map((item) => ({
          ...place(data, item, "published"),
          ...numbers(item, "rate_mean", "l1_mean"),
        })),
    ];
    await expectRows("trade-off", rows);
  });

  await it("quotes names that need it", async () => {
    const experiment = structuredClone(data);
    experiment.datasets[0].name = 'a "b", c';
    const other = await openDrawn(experiment);
    const rows = readCsv(await download(other.page, "time", "CSV"));
    assert.ok(rows.some((row) => row.dataset === 'a "b", c'));
  });
});

await describe("SVG", async (it) => {
  // In the dark theme, since the file must be light whatever the page is.
  const { page, data, log } = await openDrawn("small", { colorScheme: "dark" });

  await it("parses as XML, holds the marks and needs nothing from outside", async () => {
    for (const id of await page.$$eval("figure", (all) => all.map((one) => one.id))) {
      const text = await download(page, id, "SVG");
      const found = await page.evaluate(
        ([source, name]) => {
          const file = new DOMParser().parseFromString(source, "image/svg+xml");
          const shown = document.querySelector(`#${name} .plot > svg`);
          const shapes = "path, circle, rect, line";
          const inTip = (one) => one.closest('[aria-label="tip"]') !== null;
          return {
            error: file.querySelector("parsererror")?.textContent ?? null,
            root: file.documentElement.namespaceURI + " " + file.documentElement.tagName,
            marks: file.querySelectorAll(shapes).length,
            shown: [...shown.querySelectorAll(shapes)].filter((one) => !inTip(one)).length,
            texts: file.querySelectorAll("text").length,
            background: file.querySelector("rect").getAttribute("fill"),
            styles: file.querySelectorAll("style, script, image, foreignObject, [href]").length,
            title: file.querySelector("title").textContent,
            legend: file.querySelectorAll('[aria-label="legend"] text').length,
          };
        },
        [text, id],
      );
      assert.equal(found.error, null, id);
      assert.equal(found.root, "http://www.w3.org/2000/svg svg");
      assert.equal(found.marks, found.shown + 1, `${id}: the marks and the background`);
      assert.ok(found.texts > 5, id);
      assert.equal(found.background, "#ffffff");
      assert.equal(found.styles, 0);
      assert.ok(found.title.length > 5);
      assert.doesNotMatch(text, /var\(|color-mix|light-dark|currentColor|--plot/, id);
      if (id !== "time") assert.ok(found.legend > 0, id);
      const colours = [...text.matchAll(/(?:fill|stroke)="([^"]+)"/g)].map(([, colour]) => colour);
      for (const colour of colours) assert.match(colour, /^(#[0-9a-f]{6}|none|white|black)$/, id);
    }
  });

  await it("is dark on white: its text has the light theme's ink", async () => {
    const text = await download(page, "trade-off", "SVG");
    assert.match(text, /<svg [^>]*fill="#1c1e21"/);
    assert.match(text, /stroke="#0067ad"/, "the light blue of certified");
  });

  await it("is the same drawing that the page shows", async () => {
    // A page of its own: Chromium asks before it saves an eleventh file from one page.
    const other = await openDrawn("small", { colorScheme: "dark" });
    const text = await download(other.page, "target-rate", "SVG");
    const people = data.configurations
      .filter((item) => item.target !== null)
      .reduce((sum, item) => sum + item.people.rate.length, 0);
    assert.equal((text.match(/h0/g) ?? []).length, people);
  });

  await it("is made without complaints or requests beyond the blobs", () => {
    assert.deepEqual(log.problems, []);
    assert.deepEqual(
      log.requests.filter((url) => url !== log.url && !url.startsWith("blob:")),
      [],
    );
  });
});

await browser.stop();
