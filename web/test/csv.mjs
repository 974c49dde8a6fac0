// SPDX-License-Identifier: Apache-2.0
/** Reads RFC 4180 into objects by column; independent of how the page writes it. */
export function readCsv(text) {
  const rows = [[""]];
  let quoted = false;
  for (let i = 0; i < text.length; ++i) {
    const row = rows[rows.length - 1];
    const c = text[i];
    if (quoted) {
      if (c !== '"') row[row.length - 1] += c;
      else if (text[i + 1] === '"') row[row.length - 1] += text[++i];
      else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ",") row.push("");
    else if (c === "\n") rows.push([""]);
    else row[row.length - 1] += c;
  }
  if (quoted) throw new Error("a quote is open at the end");
  const last = rows.pop();
  if (last.length !== 1 || last[0] !== "") throw new Error("the last line does not end");
  const [columns, ...body] = rows;
  return body.map((row) => {
    if (row.length > columns.length) throw new Error(`a row has ${row.length} fields: ${row}`);
    return Object.fromEntries(columns.map((name, i) => [name, row[i] ?? ""]));
  });
}
