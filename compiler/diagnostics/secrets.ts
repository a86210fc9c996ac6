/** Keeps passwords and licences out of everything that is printed: messages, hints and frames of the source. */
import type { Source } from '../source.js';
import { nearest } from './suggest.js';

const secretWords = /pass|pwd|secret|licen[cs]e|token|api[-_]?key|authorization|cookie/i;

/** True for a field whose value is not to be shown, also when its name is misspelt. */
export function isSecretField(field: string): boolean {
  return secretWords.test(field) || nearest(field, ['password', 'licence']) !== undefined;
}

/** The account in URLs (all searches here are bounded, so that a long line takes no long time), and the values of options that say who asks, as stars of the same length. */
export function maskUrls(text: string): string {
  return text
    .replaceAll(/(:\/\/)(\S{0,500})(?=@)/g, (_, before: string, secret: string) => before + stars(secret))
    .replaceAll(
      /([?&;][^=&\s'"]{0,40}(?:pass|pwd|user|secret|token|api[-_]?key|appid)[^=&\s'"]{0,40}=)([^&\s'"]*)/gi,
      (_, before: string, secret: string) => before + stars(secret),
    );
}

/** The line from `start` to `end` with stars of the same length, so that marks stay where they belong. */
export function maskLine(source: Source, start: number, end: number): string {
  const line = source.text.slice(start, end);
  if (isInsideSecret(source, start, line)) return line.replace(/\S.*$/, stars);
  for (const match of line.matchAll(/(["']?)([\p{L}_][\p{L}\p{N}_-]{0,40})\1[ \t]{0,40}:[ \t]+(?=\S)/gu)) {
    const [written, , field = ''] = match;
    if (!isSecretField(field)) continue;
    const from = match.index + written.length;
    return maskUrls(line.slice(0, from)) + stars(line.slice(from));
  }
  return maskUrls(line);
}

/** How far above a line the field is looked for whose value goes over several lines. */
const mostLinesAbove = 50;

/** True for a line that belongs to the value of a secret field above it. */
function isInsideSecret({ text }: Source, start: number, line: string): boolean {
  let indentation = line.search(/\S/);
  let lineStart = start;
  for (let count = 0; count < mostLinesAbove && lineStart > 0 && indentation > 0; count += 1) {
    const above = text.lastIndexOf('\n', lineStart - 2) + 1;
    const written = text.slice(above, lineStart - 1);
    lineStart = above;
    const column = written.search(/[^\s-]/);
    if (column === -1 || column >= indentation) continue;
    indentation = column;
    const field = /^["']?([\p{L}_][\p{L}\p{N}_-]*)["']?[ \t]*:(?=\s|$)/u.exec(written.slice(column))?.[1];
    if (field !== undefined && isSecretField(field)) return true;
  }
  return false;
}

function stars(secret: string): string {
  return '*'.repeat(secret.length);
}
