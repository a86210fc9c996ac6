/** Contents with a line for each row: CSV and lines of JSON (extensions 12.5). */
import type { Call } from '../handler/call.js';
import { textOf, type Json } from '../handler/json.js';
import { isTurnOver, nextTurn } from '../handler/turn.js';
import type { Content } from './respond.js';

/** How rows are written. */
export interface Lines {
  /** Before the first row. */
  readonly head: string;
  readonly line: (row: Json) => string;
}

/** A line of JSON for each element. */
export function jsonLines(body: Json): Content {
  return (call) => inPieces(call, rowsOf(body), ndjson);
}

export const ndjson: Lines = { head: '', line: (row) => `${JSON.stringify(row)}\n` };

/**
 * A table with these columns (RFC 4180). Null is empty, an empty string is `""`, lists and objects are JSON. `spreadsheet`: for programs that
 * run cells as formulas.
 */
export function csv(columns: readonly string[], options?: CsvOptions): (body: Json) => Content {
  const lines = csvLines(columns, options);
  return (body) => (call) => inPieces(call, rowsOf(body), lines);
}

export interface CsvOptions {
  readonly spreadsheet?: boolean;
}

export function csvLines(columns: readonly string[], { spreadsheet = false }: CsvOptions = {}): Lines {
  const cell = spreadsheet ? (value: Json) => cellOf(harmless(value)) : cellOf;
  return {
    head: `${spreadsheet ? '\ufeff' : ''}${columns.map(cell).join(',')}\r\n`,
    line: (row) => {
      const fields = typeof row === 'object' && row !== null && !Array.isArray(row) ? row : {};
      return `${columns.map((column) => cell(Object.hasOwn(fields, column) ? (fields[column] ?? null) : null)).join(',')}\r\n`;
    },
  };
}

function cellOf(value: Json): string {
  if (value === null) return '';
  const written = textOf(value);
  return written === '' || /[",\r\n]|^\s|\s$/.test(written) ? `"${written.replaceAll('"', '""')}"` : written;
}

/**
 * A string that programs would run as a formula begins with an apostrophe; numbers stay as they are. The first characters are those of OWASP,
 * also in full width, which programs for East Asian scripts read as the others.
 */
function harmless(value: Json): Json {
  if (typeof value !== 'string' || !/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value)) return value;
  return /^[+-]?\d+(?:\.\d+)?$/.test(value) ? value : `'${value}`;
}

function rowsOf(body: Json): readonly Json[] {
  return Array.isArray(body) ? body : body === null ? [] : [body];
}

/** Characters of a piece. */
const large = 64 * 1024;

async function inPieces(
  call: Call,
  rows: readonly Json[],
  { head, line }: Lines,
): Promise<readonly Buffer[]> {
  const pieces: Buffer[] = [];
  let pending = head;
  for (const row of rows) {
    pending += line(row);
    if (pending.length < large) continue;
    pieces.push(Buffer.from(pending));
    pending = '';
    if (isTurnOver()) await nextTurn(call);
  }
  pieces.push(Buffer.from(pending));
  return pieces;
}
