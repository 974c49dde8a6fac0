// SPDX-License-Identifier: Apache-2.0
// Opens pages in a real browser, and writes down whatever it complains about.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import test from "node:test";
import { chromium } from "playwright-core";

/**
 * How long anything may take, in ms. Tests share a machine with others: this ends a hang, and is no
 * measure of speed.
 */
const kPatience = 180_000;

const kPrograms = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

function executable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Chromium by the variable CHROMIUM or on the PATH; null when there is none. */
export function findChromium() {
  if (process.env.CHROMIUM) return executable(process.env.CHROMIUM) ? process.env.CHROMIUM : null;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const files = kPrograms.flatMap((name) => folders.map((folder) => join(folder, name)));
  return files.find(executable) ?? null;
}

/** A browser with a profile of its own. */
export class Browser {
  static async start() {
    const browser = new this();
    await browser.prepare();
    browser.chromium = await chromium.launch({
      executablePath: findChromium() ?? undefined,
      timeout: kPatience,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    });
    return browser;
  }

  /** What a page needs before it can be opened. */
  async prepare() {}

  async stop() {
    await this.chromium?.close();
  }

  /**
   * Opens an address. `log.problems` holds errors, warnings and uncaught exceptions, `log.requests`
   * every address that was asked for.
   */
  async openFile(url, options = {}) {
    const context = await this.chromium.newContext({
      viewport: { width: 1400, height: 900 },
      acceptDownloads: true,
      ...options,
    });
    context.setDefaultTimeout(kPatience);
    const page = await context.newPage();
    const log = { problems: [], requests: [], url };
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) log.problems.push(message.text());
    });
    page.on("pageerror", (error) => log.problems.push(String(error.stack ?? error)));
    page.on("request", (request) => log.requests.push(request.url()));
    await page.goto(log.url);
    return { page, log };
  }
}

/**
 * A group of tests, one after another; `body` gets the function that adds one. Node.js 18 has no
 * hooks around whole files: what tests share is made at the top of the file and of the group.
 */
export const describe = (name, body) =>
  test(name, (group) => body((title, check) => group.test(title, check)));

/** Number of elements that a selector finds. */
export const count = (page, selector) => page.locator(selector).count();

/** Contrast of WCAG 2 with the page, from the colours that the browser computed. */
export async function contrast(page, selector, property = "color") {
  const [front, back] = await page.$eval(
    selector,
    (element, name) => {
      const context = document
        .createElement("canvas")
        .getContext("2d", { willReadFrequently: true });
      const rgb = (colour) => {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data];
      };
      // A page without a colour of its own has the one of the theme.
      const probe = document.createElement("span");
      probe.style.backgroundColor = "Canvas";
      document.body.append(probe);
      const canvas = getComputedStyle(probe).backgroundColor;
      probe.remove();
      const backdrop = (colour) => (rgb(colour)[3] === 0 ? canvas : colour);
      return [
        rgb(getComputedStyle(element)[name]),
        rgb(backdrop(getComputedStyle(document.body).backgroundColor)),
      ];
    },
    property,
  );
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((part) => {
      const c = part / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const [a, b] = [luminance(front), luminance(back)].sort((x, y) => y - x);
  return { ratio: (a + 0.05) / (b + 0.05), dark: luminance(back) < 0.2 };
}
