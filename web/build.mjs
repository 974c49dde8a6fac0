// SPDX-License-Identifier: Apache-2.0
// node build.mjs PAGE OUTFILE: writes the page of that folder (report or app) as one file. In the report
// a marker stays where its data go.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const kDataMarker = "/*croco-data*/";

async function bundle(entry) {
  const result = await esbuild.build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome123", "firefox120", "safari17.5"],
    charset: "utf8",
    jsx: "automatic",
    jsxImportSource: "preact",
    // Whole licences follow at the end of the page.
    legalComments: "none",
    logLevel: "warning",
    absWorkingDir: here,
    metafile: true,
  });
  return { text: result.outputFiles[0].text.trim(), inputs: Object.keys(result.metafile.inputs) };
}

// The libraries inside the page ask for their notices to go with them: each text once.
async function licences(inputs) {
  const folders = new Set(
    inputs.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []),
  );
  const users = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version } = JSON.parse(
      await readFile(join(here, folder, "package.json"), "utf8"),
    );
    const file = (await readdir(join(here, folder))).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence`);
    const text = (await readFile(join(here, folder, file), "utf8")).trim();
    users.set(text, [...(users.get(text) ?? []), `${name} ${version}`]);
  }
  const parts = [...users].map(([text, names]) => `${names.join(", ")}\n\n${text}`);
  // Two hyphens would end the comment that holds them.
  return ["This page contains:", ...parts].join("\n\n").replaceAll("--", "- -");
}

// A function, since "$&" and the like in a bundle would mean something in a replacement string.
function put(page, marker, text) {
  const parts = page.split(marker);
  if (parts.length !== 2) throw new Error(`the page holds '${marker}' ${parts.length - 1} times`);
  return parts.join(text);
}

export async function buildPage(name) {
  // Neither may end the element that it stands in.
  const code = await bundle(`${name}/src/main.ts`);
  const script = code.text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const { text: style } = await bundle(`${name}/src/style.css`);
  if (script.includes(kDataMarker) || style.includes("</style")) {
    throw new Error("the bundle holds text that the page gives a meaning");
  }
  const hash = createHash("sha256").update(script).digest("base64");
  let page = await readFile(join(here, name, "src/page.html"), "utf8");
  page = put(page, "/*script-hash*/", `sha256-${hash}`);
  page = put(page, "/*style*/", style);
  page = put(page, "/*licences*/", await licences(code.inputs));
  return put(page, "/*script*/", script);
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [name, outfile] = process.argv.slice(2);
  if (outfile === undefined) {
    console.error("usage: node build.mjs report|app OUTFILE");
    process.exit(2);
  }
  const page = await buildPage(name);
  // An unchanged page keeps its time, so that nothing that holds it is built again.
  if ((await readFile(outfile, "utf8").catch(() => null)) !== page) {
    await mkdir(dirname(resolve(outfile)), { recursive: true });
    await writeFile(`${outfile}.partial`, page);
    await rename(`${outfile}.partial`, outfile);
  }
}
