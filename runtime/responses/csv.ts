/** Tables as CSV. */
import { textOf, type Json } from '../handler/json.js';
import type { Lines } from './lines.js';

/**
 * A table with the given columns (RFC 4180). Null is empty, an empty string is `""`, lists and objects are JSON. `spreadsheet` escapes
 * cells that a spreadsheet program would evaluate as formulas.
 */
export function csv(
  columns: readonly string[],
  { spreadsheet = false }: { readonly spreadsheet?: boolean } = {},
): Lines {
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
 * Adds an apostrophe before a string that programs would evaluate as a formula; numbers are not changed. The initial characters are
 * those listed by OWASP, and their full-width forms, which programs for East Asian scripts treat in the same way.
 */
function harmless(value: Json): Json {
  if (typeof value !== 'string' || !/^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value)) return value;
  return /^[+-]?\d+(?:\.\d+)?$/.test(value) ? value : `'${value}`;
}
