// SPDX-License-Identifier: Apache-2.0

/** Whether the page is dark now, by the reader's choice or the system's. */
export function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen === undefined
    ? matchMedia("(prefers-color-scheme: dark)").matches
    : chosen === "dark";
}

/** From light to dark, or back. */
export function switchTheme(): void {
  document.documentElement.dataset["theme"] = isDark() ? "light" : "dark";
}
