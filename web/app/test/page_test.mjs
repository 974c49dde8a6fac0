// SPDX-License-Identifier: Apache-2.0
// The three views against recorded answers, in one browser.
import { AppBrowser } from "./app_browser.mjs";
import { testAdvisor } from "./parts/advisor.mjs";
import { testAuditor } from "./parts/auditor.mjs";
import { testContract } from "./parts/contract.mjs";
import { testPeople } from "./parts/people.mjs";
import { testScientist } from "./parts/scientist.mjs";

const browser = await AppBrowser.start();
await testContract();
await testAdvisor(browser);
await testPeople(browser);
await testScientist(browser);
await testAuditor(browser);
await browser.stop();
