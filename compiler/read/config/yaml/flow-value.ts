/** Values with placeholders inside `{ }`: YAML ends them at the first bracket, so they need quotes. */
import { isSecretField } from '../../diagnostics/secrets/secret-words.js';
import type { Source } from '../../source.js';
import { yaml } from '../../../notation/yaml-writer.js';
import type { Quotable } from './quotable.js';

const key = /[{,]\s*["']?([\p{L}_][\p{L}\p{N}_-]*)["']?:[ \t]+(?=[^\s'"{[])/gu;

/** The values of the line at `lineStart` that contain `:[ ]`, are inside `{ }` and are not quoted. */
export function flowValues(source: Source, lineStart: number): Quotable[] {
  const lineEnd = source.text.indexOf('\n', lineStart);
  const line = source.text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd);
  const values: Quotable[] = [];
  let behind = 0;
  for (const match of line.matchAll(key)) {
    const from = match.index + match[0].length;
    if (from < behind) continue;
    const written = line.slice(from, endOfValue(line, from)).trimEnd();
    behind = from + written.length;
    if (!written.includes(':[')) continue;
    const isSecret = isSecretField(match[1] ?? '');
    values.push({
      span: { source, start: lineStart + from, end: lineStart + behind },
      written,
      quoted: isSecret ? "'…'" : yaml.quoted(written),
      reason: "inside { } a '[' begins a list",
      isSecret,
    });
  }
  return values;
}

/** Before the brace that closes the map, or the comma before its next key; brackets and parentheses of the value are its own. */
function endOfValue(line: string, from: number): number {
  let depth = 0;
  for (let index = from; index < line.length; index += 1) {
    const character = line.charAt(index);
    if (character === '(' || character === '[') depth += 1;
    else if (character === ')' || character === ']') depth -= 1;
    if (depth < 0) return index;
    if (depth > 0) continue;
    if (character === '}' || (character === ',' && isBeforeKey(line, index + 1))) return index;
  }
  return line.length;
}

/** Whether a key follows: of a maximum length, so that a long line takes linear time. */
function isBeforeKey(line: string, from: number): boolean {
  return /^\s*["']?[\p{L}_][\p{L}\p{N}_-]*["']?:\s/u.test(line.slice(from, from + 100));
}
