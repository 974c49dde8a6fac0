// SPDX-License-Identifier: Apache-2.0
// What concerns all views: links, files, safety, access for everybody.
import { AppBrowser } from "./app_browser.mjs";
import { testAccess } from "./parts/access.mjs";
import { testExports } from "./parts/exports.mjs";
import { testLinks } from "./parts/links.mjs";
import { testSafety } from "./parts/safety.mjs";

const browser = await AppBrowser.start();
await testLinks(browser);
await testExports(browser);
await testSafety(browser);
await testAccess(browser);
await browser.stop();
