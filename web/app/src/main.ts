// SPDX-License-Identifier: Apache-2.0
import { h, render } from "preact";
import { answerQuestions } from "./state/answer";
import { followLinks } from "./state/link";
import { answerMore } from "./state/more";
import { listPeople } from "./state/people";
import { watchServer } from "./state/session";
import { App } from "./ui/app";

followLinks();
watchServer();
listPeople();
answerQuestions();
answerMore();

const root = document.getElementById("page");
if (root !== null) {
  root.replaceChildren();
  render(h(App, {}), root);
}
