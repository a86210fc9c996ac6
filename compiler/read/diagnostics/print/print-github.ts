/** Diagnostics as workflow commands of GitHub Actions, which shows them beside the changed lines. */
import type { Diagnostic } from '../diagnostic.js';
import { rangeOf } from './print-json.js';
import { visibleLines } from '../visible.js';

/** One line: `::error file=…,line=…,endLine=…,col=…,endColumn=…,title=…::message`. */
export function printGithub({ code, severity, message, hint, span, related }: Diagnostic): string {
  const { line, column, endLine, endColumn } = rangeOf(span);
  const properties = {
    file: span.source.path,
    line,
    endLine,
    col: column,
    // The end column is only printed if the span ends in its first line.
    ...(line === endLine ? { endColumn } : {}),
    title: code,
  };
  const others = related
    .slice(0, maxRelated)
    .map((other) => `${other.span.source.path}:${rangeOf(other.span).line}: ${other.message}`);
  const text = [message, ...(hint === undefined ? [] : [hint]), ...others].join('\n');
  return githubCommand(severity, properties, text);
}

const maxRelated = 10;

/** A command with its values escaped, so that nothing of the configuration begins another one. */
export function githubCommand(
  name: 'error' | 'warning',
  properties: Readonly<Record<string, string | number>>,
  message: string,
): string {
  const written = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  return `::${name}${written.length === 0 ? '' : ` ${written.join(',')}`}::${escapeData(message)}`;
}

function escapeData(text: string): string {
  return visibleLines(text.replaceAll('\r', '')).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
