// SPDX-License-Identifier: Apache-2.0
// Chips, the published overlay, themes, print, keyboard and narrow windows.
import assert from "node:assert/strict";
import { contrast, describe, count } from "../../test/browser.mjs";
import { renderAll, ReportBrowser } from "./report_browser.mjs";

const browser = await ReportBrowser.start();

const kTexts = [
  "h1",
  "figcaption",
  "#summary td",
  ".verdict.good",
  ".verdict.partly",
  ".verdict.bad",
  ".verdict.untested",
  "footer",
];

async function expectReadable(page, dark) {
  for (const selector of kTexts) {
    const found = await contrast(page, selector);
    assert.equal(found.dark, dark, selector);
    assert.ok(found.ratio >= 4.5, `${selector}: contrast ${found.ratio.toFixed(2)}`);
  }
  for (let i = 0; i < 5; ++i) {
    const found = await contrast(page, `#trade-off .dots.m${i}`, "fill");
    assert.ok(found.ratio >= 3, `marks of method ${i}: contrast ${found.ratio.toFixed(2)}`);
  }
  const axis = await contrast(page, "#trade-off .plot > svg", "fill");
  assert.ok(axis.ratio >= 7, `axis texts: contrast ${axis.ratio.toFixed(2)}`);
}

await describe("chips", async (it) => {
  const { page, log } = await browser.open("small");
  await renderAll(page);

  await it("hide a method in every figure, and bring it back", async () => {
    const marks = () => count(page, "figure .m3");
    assert.ok((await marks()) > 20);
    await page.uncheck('.chip input[value="probe"]');
    await renderAll(page);
    assert.equal(await marks(), 0);
    assert.ok((await count(page, "figure .m1")) > 0, "the others stay");
    assert.doesNotMatch(await page.textContent("#trade-off [aria-label=legend]"), /PROBE/);
    await page.check('.chip input[value="probe"]');
    await renderAll(page);
    assert.ok((await marks()) > 20);
  });

  await it("keep each method's colour when others are hidden", async () => {
    const colour = () => page.$eval("#trade-off .dots.m2", (one) => getComputedStyle(one).fill);
    const before = await colour();
    await page.uncheck('.chip input[value="certified"]');
    await renderAll(page);
    assert.equal(await colour(), before);
    await page.check('.chip input[value="certified"]');
  });

  await it("say so when nothing is left to draw", async () => {
    for (const box of await page.locator(".chips input").all()) await box.uncheck();
    await renderAll(page);
    assert.equal(await count(page, "figure .plot > svg"), 0);
    assert.equal(await count(page, "figure .empty"), 9);
    assert.ok(await page.isDisabled("#trade-off .buttons button >> nth=0"));
    for (const box of await page.locator(".chips input").all()) await box.check();
    await renderAll(page);
    assert.equal(await count(page, "figure .plot > svg"), 9);
  });

  await it("work from the keyboard", async () => {
    await page.focus('.chip input[value="croco"]');
    await page.keyboard.press("Space");
    await renderAll(page);
    assert.equal(await count(page, "#trade-off .m1"), 0);
    await page.keyboard.press("Space");
    const reached = new Set();
    for (let i = 0; i < 50; ++i) {
      await page.keyboard.press("Tab");
      reached.add(
        await page.evaluate(() => {
          const one = document.activeElement;
          return (one.getAttribute("aria-label") || one.value || one.textContent).slice(0, 60);
        }),
      );
    }
    for (const name of [
      "certified",
      "published",
      "Light or dark",
      "In short",
      "Figure 1. What robustness costs",
      "Download the drawing of figure 1 as SVG",
      "Download the data of figure 1 as CSV",
    ]) {
      assert.ok(reached.has(name), `Tab reaches ${name}, not only ${[...reached].join("; ")}`);
    }
  });

  await it("cause no complaint", () => assert.deepEqual(log.problems, []));
});

await describe("published points", async (it) => {
  await it("lie hollow and dashed over trade-off, validity, deviations and shares", async () => {
    const { page, data, log } = await browser.open("small");
    await renderAll(page);
    assert.equal(await count(page, "figure .p0, figure .p1, figure .p2"), 0);
    const rows = await count(page, "#validity .heading text");
    await page.check('.chip input[value="published"]');
    await renderAll(page);
    const marks = (id, i) => count(page, `#${id} .dots.p${i} path, #${id} .dots.p${i} circle`);
    const own = (name) => data.published.filter((item) => item.method_name === name).length;
    for (const [i, name] of ["croco", "probe", "wachter"].entries()) {
      assert.equal(await marks("trade-off", i), own(name));
      assert.equal(await marks("deviations", i), own(name));
      if (name !== "wachter") assert.equal(await marks("above-target", i), own(name));
    }
    assert.equal(await count(page, "#validity .heading text"), rows + 3 * data.datasets.length);
    const look = await page.evaluate(() => {
      const style = (selector) => getComputedStyle(document.querySelector(selector));
      return {
        fill: style("#trade-off .dots.p0").fill,
        surface: style("body").backgroundColor,
        stroke: style("#trade-off .dots.p0").stroke,
        own: style("#trade-off .dots.m2").fill,
        dashes: style("#trade-off .line.p0").strokeDasharray,
      };
    });
    assert.equal(look.fill, look.surface, "hollow");
    assert.equal(look.stroke, look.own, "in the colour of the method run as published");
    assert.notEqual(look.dashes, "none");
    assert.match(await page.textContent("#trade-off [aria-label=legend]"), /PROBE, published/);

    await page.uncheck('.chip input[value="probe"]');
    await renderAll(page);
    assert.equal(
      await marks("trade-off", 1),
      0,
      "a hidden method takes its published points along",
    );
    assert.deepEqual(log.problems, []);
  });

  await it("have no switch when there are none", async () => {
    const { page } = await browser.open("single");
    assert.equal(await count(page, '.chip input[value="published"]'), 0);
  });
});

await describe("themes", async (it) => {
  await it("follow the system, and the switch turns them", async () => {
    for (const scheme of ["light", "dark"]) {
      const { page, log } = await browser.open("small", { colorScheme: scheme });
      await renderAll(page);
      await expectReadable(page, scheme === "dark");
      await page.click(".theme");
      await expectReadable(page, scheme !== "dark");
      await page.click(".theme");
      await expectReadable(page, scheme === "dark");
      assert.deepEqual(log.problems, []);
      await page.context().close();
    }
  });
});

await describe("print", async (it) => {
  await it("is light, without controls, with every figure drawn", async () => {
    const { page, log } = await browser.open("small", { colorScheme: "dark" });
    await page.click(".theme");
    await page.click(".theme");
    assert.ok(
      (await count(page, "figure .plot > svg")) < 9,
      "not all are drawn before they are in sight",
    );
    await page.emulateMedia({ media: "print" });
    await page.waitForFunction(() => document.querySelectorAll("figure .plot > svg").length === 9);
    await expectReadable(page, false);
    for (const selector of [".controls", ".buttons"]) {
      assert.equal(await page.$eval(selector, (one) => getComputedStyle(one).display), "none");
    }
    assert.equal(await page.$eval("figure", (one) => getComputedStyle(one).breakInside), "avoid");
    const sizes = await page.$$eval("figure .plot > svg", (all) =>
      all.map((one) => one.viewBox.baseVal.width),
    );
    assert.ok(Math.max(...sizes) <= 720, `widths ${sizes}`);
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(() => document.getElementById("trade-off").scrollIntoView());
    await page.waitForFunction(
      () => document.querySelector("#trade-off svg").viewBox.baseVal.width > 900,
    );
    assert.deepEqual(log.problems, []);
  });

  await it("to PDF draws everything first", async () => {
    const { page } = await browser.open("small");
    const pdf = await page.pdf({ preferCSSPageSize: true });
    assert.ok(pdf.length > 50_000);
    assert.equal(await count(page, "figure .plot > svg"), 9);
  });
});

await describe("narrow windows", async (it) => {
  await it("scroll the figure, not the page", async () => {
    const { page } = await browser.open("full", { viewport: { width: 800, height: 900 } });
    await page.evaluate(() => document.getElementById("trade-off").scrollIntoView());
    await page.waitForSelector("#trade-off svg");
    const sizes = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth,
      plot: document.querySelector("#trade-off .plot").scrollWidth,
      room: document.querySelector("#trade-off .plot").clientWidth,
    }));
    assert.ok(sizes.page <= 800, `the page is ${sizes.page} wide`);
    assert.ok(sizes.plot > sizes.room, "the facets scroll");
  });

  await it("keep every column of every table in sight, under its title", async () => {
    for (const width of [420, 360]) {
      const { page } = await browser.open("full", { viewport: { width, height: 900 } });
      const tables = await page.$$eval(".table", (all) =>
        all.map((table) => {
          const titles = [...table.querySelectorAll("thead th")].map((one) => one.textContent);
          const cells = [...table.querySelectorAll("tbody td")].filter(
            (cell) => cell.textContent !== "",
          );
          const labelled = cells.filter((cell) => !cell.matches(":first-child, :has(.method)"));
          return {
            name: table.getAttribute("aria-label"),
            titles,
            rows: table.querySelectorAll("tbody tr").length,
            outside: cells.filter((cell) => {
              const { left, right, width } = cell.getBoundingClientRect();
              return left < 0 || right > window.innerWidth || width === 0;
            }).length,
            scrolls: table.scrollWidth > table.clientWidth,
            wrong: labelled.filter((cell) => {
              const shown = JSON.parse(getComputedStyle(cell, "::before").content);
              return shown !== cell.dataset.title || !titles.includes(shown);
            }).length,
            labelled: labelled.length,
          };
        }),
      );
      assert.ok(tables.length >= 4);
      for (const { name, rows, outside, scrolls, wrong, labelled } of tables) {
        assert.equal(outside, 0, `${name} at ${width}: cells outside of the window`);
        assert.equal(scrolls, false, `${name} at ${width}`);
        assert.equal(wrong, 0, `${name} at ${width}: titles`);
        assert.ok(labelled >= rows, `${name} at ${width}`);
      }
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    }
  });

  await it("a resize draws again", async () => {
    const { page } = await browser.open("small");
    await page.evaluate(() => document.getElementById("trade-off").scrollIntoView());
    const width = () => page.$eval("#trade-off svg", (one) => one.viewBox.baseVal.width);
    await page.waitForSelector("#trade-off svg");
    const before = await width();
    await page.setViewportSize({ width: 1000, height: 900 });
    await page.waitForFunction(
      (old) => document.querySelector("#trade-off svg").viewBox.baseVal.width < old,
      before,
    );
  });
});

await browser.stop();
