// SPDX-License-Identifier: Apache-2.0
export type Cell = string | number | null | undefined;

/** What a figure draws, as a table: the figure's CSV. */
export interface Table {
  columns: string[];
  rows: Cell[][];
}

function field(cell: Cell): string {
  if (cell == null) return "";
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** RFC 4180, with line feeds and full precision. */
export function writeCsv(table: Table): string {
  const lines = [table.columns, ...table.rows].map((row) => row.map(field).join(","));
  return lines.join("\n") + "\n";
}
