// SPDX-License-Identifier: Apache-2.0
// Opens the page of the server, from a mock of it.
import { readFile } from "node:fs/promises";
import { Browser } from "../../test/browser.mjs";
import { MockServer } from "./mock.mjs";

/** The page that is tested. */
export async function readPage() {
  const file = process.env.CROCO_APP_PAGE;
  if (!file) throw new Error("CROCO_APP_PAGE names no page; run test/run.mjs");
  return readFile(file, "utf8");
}

/** How long anything may take, in ms: this ends a hang, and is no measure of speed. */
const kPatience = 30_000;

export class AppBrowser extends Browser {
  async prepare() {
    this.page = await readPage();
    this.servers = [];
  }

  async stop() {
    await super.stop();
    // A test that failed has left its server behind.
    for (const server of this.servers) await server.stop();
  }

  /** Opens a state of the page on a server of its own; `done` ends both. */
  async open(state = "", options = {}) {
    const server = new MockServer(this.page);
    this.servers.push(server);
    const url = await server.start();
    const opened = await this.openFile(`${url}#${state}`, options);
    opened.page.setDefaultTimeout(kPatience);
    const done = async () => {
      await opened.page.context().close();
      await server.stop();
    };
    return { ...opened, server, url, done };
  }
}

/** Waits until the answer and its certificates are on the page. */
export const settled = (page) =>
  page.waitForFunction(() => document.querySelector(".unseen[role=status]")?.textContent !== "");

/** The questions of one kind that a server was asked. */
export const asked = (server, path) =>
  server.asked.filter((one) => one.path === path).map((one) => one.body);

/** Waits until a condition of the test itself holds. */
export async function until(condition) {
  for (let i = 0; i < 400; ++i) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`waited in vain for ${condition}`);
}
