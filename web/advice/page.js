// SPDX-License-Identifier: Apache-2.0
// Search and filter of the advice page. Without scripts everybody is shown.
(() => {
  const box = document.querySelector(".find");
  const search = box.querySelector("input[type=search]");
  const switches = [...box.querySelectorAll("input[type=checkbox]")];
  const count = box.querySelector("output");
  const details = document.querySelector("details.already");
  // "2,100" is found as 2100 too.
  const simple = (text) =>
    text
      .toLowerCase()
      .replace(/(\d),(?=\d{3})/g, "$1")
      .replace(/[\s,'"]+/g, " ")
      .trim();
  const people = [...document.querySelectorAll("article, details.already li")].map((element) => ({
    element,
    status: element.localName === "article" ? element.className : "already",
    text: ` ${simple(element.textContent)}`,
  }));

  function show() {
    const query = simple(search.value);
    const row = /^row (\d+)$/.exec(query);
    const words = query.split(" ");
    const on = new Set(switches.filter((one) => one.checked).map((one) => one.value));
    let shown = 0;
    let shownAlready = 0;
    for (const { element, status, text } of people) {
      // "row 1" is one person; other words are looked for where words begin.
      const found = row
        ? element.id === `row-${row[1]}`
        : query === "" || words.every((word) => text.includes(` ${word}`));
      element.hidden = !(found && on.has(status));
      if (element.hidden) continue;
      ++shown;
      if (status === "already") ++shownAlready;
    }
    if (details) {
      details.hidden = shownAlready === 0;
      details.open = query !== "" && shownAlready > 0;
    }
    const all = people.length.toLocaleString("en");
    count.textContent =
      shown === people.length ? "" : `${shown.toLocaleString("en")} of ${all} people are shown`;
  }

  search.addEventListener("input", show);
  for (const one of switches) one.addEventListener("change", show);
  // A browser that comes back to the page may have kept what was typed.
  window.addEventListener("pageshow", show);
  box.hidden = false;
})();
