/** Prints diagnostics for people. */
import { endOfLine, position, type Span } from '../../source.js';
import type { Diagnostic, Related } from '../diagnostic.js';
import { alsoUsedHere } from '../finish.js';
import { secretsOf } from '../secrets/secrets.js';
import { screen, type Colours, type Shown } from '../../../notation/screen-writer.js';
import { joined } from '../../../notation/written.js';
import { counted } from '../quoted-list.js';

/** Prints `file:line:column: error code: message`, the source line with the span marked, related positions, and the fix. */
export function printText(diagnostic: Diagnostic, colours: Colours): Shown {
  const { code, severity, message, hint, span } = diagnostic;
  const { line, column } = position(span.source, span.start);
  const paint = severity === 'error' ? colours.red : colours.yellow;
  const place = screen`${screen.text(span.source.path)}:${line}:${column}:`;
  const head = screen`${colours.bold(place)} ${paint(screen.text(severity))} ${screen.text(message)} ${colours.dim(screen`[${screen.text(code)}]`)}`;
  const lines = [head, ...frame(span, paint), ...relatedLines(diagnostic, colours)];
  if (hint !== undefined) lines.push(screen`  ${screen.text(hint)}`);
  return joined(lines, '\n');
}

/** Maximum number of related positions shown with source lines. */
const maxFrames = 3;
/** Maximum number of lines listed for further uses. */
const maxLines = 10;

/** Prints the related positions: with source lines if they have a message, as a line number if they are further uses. */
function relatedLines({ span, related }: Diagnostic, colours: Colours): Shown[] {
  const others = related.filter(({ message }) => message !== alsoUsedHere);
  const framed = others.slice(0, maxFrames).flatMap(({ span: other, message }) => {
    const { line, column } = position(other.source, other.start);
    return [
      screen`  ${screen.text(other.source.path)}:${line}:${column}: ${screen.text(message)}`,
      ...frame(other, colours.dim),
    ];
  });
  const uses = related.filter(({ message }) => message === alsoUsedHere);
  return [
    ...framed,
    ...linesOf('Also related', others.slice(maxFrames), span),
    ...linesOf('Also', uses, span),
  ];
}

/** Lists line numbers: `Also in lines 24, 31 and 17 more.` */
function linesOf(what: string, related: readonly Related[], { source, start }: Span): Shown[] {
  const own = position(source, start).line;
  const lines = [...new Set(related.map(({ span }) => position(span.source, span.start).line))];
  const others = lines.filter((line) => line !== own);
  if (others.length === 0) return [];
  const shown = others.slice(0, maxLines);
  const rest = others.length - shown.length;
  const more = rest === 0 ? '' : ` and ${rest} more`;
  return [screen.text(`  ${what} in line${others.length === 1 ? '' : 's'} ${shown.join(', ')}${more}.`)];
}

const widestFrame = 160;

/** Prints the source line around the span, truncated if long, without reading the whole line. */
function frame(span: Span, paint: Colours['red']): Shown[] {
  const { source, start } = span;
  const { line, column } = position(source, start);
  if (start === 0 && span.end === 0) return [];
  const lineStart = start - column + 1;
  const lineEnd = endOfLine(source, line);
  const from = Math.max(lineStart, Math.min(start - 39, lineEnd - widestFrame));
  const to = Math.min(lineEnd, from + widestFrame);
  const shown = screen.text(secretsOf(source).masked(from, to).replaceAll('\t', ' '));
  const marked = shown.slice(start - from, Math.max(start, Math.min(span.end, to)) - from);
  const margin = screen.text(' '.repeat(String(line).length));
  const before = screen.text(' '.repeat(cells(shown.slice(0, start - from))));
  const marks = paint(screen.text('^'.repeat(Math.max(1, cells(marked)))));
  return [screen`  ${line} | ${shown}`, screen`  ${margin} | ${before}${marks}`];
}

/** The width of a text in terminal columns: two for East Asian characters and pictures, zero for combining marks. */
function cells(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/^(?:\p{Mn}|\p{Me}|\u200d|\ufe0f)$/u.test(character)) continue;
    width += wide.test(character) ? 2 : 1;
  }
  return width;
}

const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}\u{20000}-\u{3fffd}]$/u;

/** `2 errors, 1 warning`; empty if there are none. */
export function summary(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: string): string[] => {
    const number = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return number === 0 ? [] : [counted(number, severity)];
  };
  return [...count('error'), ...count('warning')].join(', ');
}
