// SPDX-License-Identifier: Apache-2.0
// People from pasted CSV: a line of column names, then a line per person.
import type { Feature, RecordOf } from "../api/types";

/** Fields of RFC 4180, separated by a comma, a semicolon or a tab, whichever the first line has. */
export function parseCsv(text: string): string[][] {
  const first = text.split(/\r?\n/, 1)[0] ?? "";
  const separator = ["\t", ";", ","].find((one) => first.includes(one)) ?? ",";
  const rows: string[][] = [[]];
  let field = "";
  let quoted = false;
  const endField = (): void => {
    rows.at(-1)?.push(field.trim());
    field = "";
  };
  for (let i = 0; i < text.length; ++i) {
    const c = text[i] ?? "";
    if (quoted) {
      if (c !== '"') field += c;
      else if (text[i + 1] === '"') field += text[++i];
      else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === separator) endField();
    else if (c === "\n") {
      endField();
      rows.push([]);
    } else if (c !== "\r") field += c;
  }
  endField();
  return rows.filter((row) => row.some((cell) => cell !== ""));
}

export interface Pasted {
  records: RecordOf[];
  /** Why there is nobody in it; else empty. */
  problem: string;
  /** Features that the columns do not have. */
  missing: string[];
}

/** The people in pasted text. Columns may have the names or the labels of features, in any order. */
export function readPasted(text: string, features: readonly Feature[]): Pasted {
  const [head, ...lines] = parseCsv(text);
  const nobody = (problem: string): Pasted => ({ records: [], problem, missing: [] });
  if (head === undefined) return nobody("");
  if (lines.length === 0) {
    return nobody(
      "There is one line only. The first line names the columns, the next is a person.",
    );
  }
  const simple = (name: string): string => name.toLowerCase();
  const columns = features.map((feature) =>
    head.findIndex((name) => [feature.name, feature.label].map(simple).includes(simple(name))),
  );
  const missing = features.filter((_, i) => columns[i] === -1).map((feature) => feature.label);
  if (missing.length === features.length) {
    return nobody("No column has the name of an entry that the model knows.");
  }
  const records = lines.map((line) =>
    Object.fromEntries(features.map((feature, i) => [feature.name, line[columns[i] ?? -1] ?? ""])),
  );
  return { records, problem: "", missing };
}
