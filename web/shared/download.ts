// SPDX-License-Identifier: Apache-2.0
import { s } from "./dom";

/** Offers text as a file. */
export function saveFile(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the blob after this task.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Reads colours as the light theme has them, whatever theme the page shows. */
class LightColors {
  private readonly probe = document.createElement("span");
  private readonly known = new Map<string, string>();

  constructor() {
    this.probe.style.cssText = "color-scheme: light; position: absolute; visibility: hidden";
    document.body.append(this.probe);
  }

  resolve(value: string): string {
    let found = this.known.get(value);
    if (found === undefined) {
      this.probe.style.color = value === "currentColor" ? "var(--ink)" : value;
      found = hex(getComputedStyle(this.probe).color);
      this.known.set(value, found);
    }
    return found;
  }

  done(): void {
    this.probe.remove();
  }
}

// Any form a computed colour may have, as #rrggbb, which every program that reads SVG knows.
function hex(color: string): string {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!context) return color;
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

const kColorAttributes = ["fill", "stroke"] as const;
const kFont = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/** The drawing as a file of its own: no style sheet, no variables, dark on white. */
export function standaloneSvg(drawing: SVGSVGElement, title: string): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  // Tips are answers to a pointer that the file does not have.
  copy.querySelectorAll('style, [aria-label="tip"]').forEach((element) => element.remove());
  const colors = new LightColors();
  for (const element of [copy, ...copy.querySelectorAll<SVGElement>("*")]) {
    for (const name of kColorAttributes) {
      const value = element.getAttribute(name);
      if (value !== null && /^(?:var|color-mix|light-dark)\(|^currentColor$/.test(value)) {
        element.setAttribute(name, colors.resolve(value));
      }
    }
  }
  colors.done();
  const { width, height } = drawing.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("font-family", kFont);
  copy.setAttribute("font-size", copy.style.fontSize || "12px");
  copy.removeAttribute("class");
  copy.removeAttribute("style");
  copy.prepend(
    s("title", {}, title),
    s("rect", { width, height, fill: "#ffffff", stroke: "none" }),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(copy)}\n`;
}
