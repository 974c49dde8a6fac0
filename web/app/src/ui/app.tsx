// SPDX-License-Identifier: Apache-2.0
// The frame of the page: its name, the three views, the theme.
import { useState } from "preact/hooks";
import { isDark, switchTheme } from "../../../shared/theme";
import { Advisor } from "../advisor/view";
import { Auditor } from "../auditor/view";
import { Scientist } from "../scientist/view";
import { view, type View } from "../state/choice";
import { model } from "../state/session";
import { Announcer } from "./announcer";
import { Banner } from "./banner";

const kNames: readonly (readonly [View, string])[] = [
  ["advisor", "Advisor"],
  ["scientist", "Data scientist"],
  ["auditor", "Auditor"],
];

function Theme() {
  const [dark, setDark] = useState(isDark());
  return (
    <button
      type="button"
      class="theme"
      aria-pressed={dark}
      onClick={() => {
        switchTheme();
        setDark(isDark());
      }}
    >
      Dark theme
    </button>
  );
}

function Current() {
  if (view.value === "auditor") return <Auditor />;
  if (model.value === null) return <main class="advisor" />;
  return view.value === "scientist" ? <Scientist /> : <Advisor />;
}

function Footer() {
  const served = model.value;
  if (served === null) return null;
  return (
    <footer>
      <p>
        Model {served.name}
        {served.demo && ", trained on German Credit for demonstration"}.{" "}
        {served.people.toLocaleString("en")} people, {served.rejected.toLocaleString("en")} turned
        down. {served.program}. This page talks to its own server only.
      </p>
      {served.notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </footer>
  );
}

export function App() {
  return (
    <>
      <header class="top">
        <h1 class="unseen">
          croco: {kNames.find(([name]) => name === view.value)?.[1].toLowerCase()} view
        </h1>
        <p class="brand">
          <b>croco</b>
          <span>advice that survives noise</span>
        </p>
        <nav aria-label="Views">
          {kNames.map(([name, label]) => (
            <button
              key={name}
              type="button"
              aria-current={view.value === name ? "page" : undefined}
              onClick={() => (view.value = name)}
            >
              {label}
            </button>
          ))}
        </nav>
        <Theme />
      </header>
      <Banner />
      <Announcer />
      <Current />
      <Footer />
    </>
  );
}
