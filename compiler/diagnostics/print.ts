/** Diagnostics as text for people and as JSON for programs. */
import { position } from '../source.js';
import type { Diagnostic } from './diagnostic.js';
import { maskLine } from './secrets.js';

export interface Colours {
  readonly bold: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly dim: (text: string) => string;
}

/** `file:line:column: error code: message`, the line with the place marked, and the mend. */
export function printText(diagnostic: Diagnostic, colours: Colours): string {
  const { code, severity, message, hint, place } = diagnostic;
  const { line, column } = position(place.source, place.start);
  const paint = severity === 'error' ? colours.red : colours.yellow;
  const head = `${colours.bold(`${place.source.path}:${line}:${column}:`)} ${paint(severity)} ${visible(message)} ${colours.dim(`[${code}]`)}`;
  const lines = [head, ...frame(diagnostic, line, column, paint)];
  if (hint !== undefined) lines.push(`  ${visible(hint)}`);
  return lines.join('\n');
}

/** Text of the configuration must not steer the terminal. */
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '?');
}

const widestFrame = 160;

function frame(
  { place }: Diagnostic,
  line: number,
  column: number,
  paint: (text: string) => string,
): string[] {
  if (place.start === 0 && place.end === 0) return [];
  const { text } = place.source;
  const lineStart = place.start - column + 1;
  const lineEnd = /\r?(?:\n|$)/g;
  lineEnd.lastIndex = place.start;
  const written = maskLine(place.source, lineStart, lineEnd.exec(text)?.index ?? text.length);
  const length = Math.max(1, Math.min(place.end - place.start, written.length - column + 1));
  const from = Math.max(0, Math.min(column - 40, written.length - widestFrame));
  const shown = visible(written.replaceAll('\t', ' ')).slice(from, from + widestFrame);
  const number = String(line);
  const marks = ' '.repeat(column - 1 - from) + paint('^'.repeat(Math.min(length, widestFrame)));
  return [`  ${number} | ${shown}`, `  ${' '.repeat(number.length)} | ${marks}`];
}

/** One JSON document: a list of diagnostics with their places. */
export function printJson(diagnostics: readonly Diagnostic[]): string {
  const list = diagnostics.map(({ code, severity, message, hint, place }) => ({
    file: place.source.path,
    ...position(place.source, place.start),
    endLine: position(place.source, place.end).line,
    endColumn: position(place.source, place.end).column,
    severity,
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
  }));
  return JSON.stringify({ diagnostics: list }, null, 2);
}

/** `2 errors, 1 warning`; empty when there is nothing to count. */
export function summary(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: string, one: string): string[] => {
    const number = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return number === 0 ? [] : [`${number} ${one}${number === 1 ? '' : 's'}`];
  };
  return [...count('error', 'error'), ...count('warning', 'warning')].join(', ');
}
