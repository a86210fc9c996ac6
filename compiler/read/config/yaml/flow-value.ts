/** Finds values with placeholders inside `{ }`. YAML ends such a value at the first bracket, so it needs quotes. */
import { isSecretField } from '../../diagnostics/secrets/secret-words.js';
import type { Source } from '../../source.js';
import { yaml } from '../../../notation/yaml-writer.js';
import type { Quotable } from './quotable.js';

const key = /[{,]\s*["']?([\p{L}_][\p{L}\p{N}_-]*)["']?:[ \t]+(?=[^\s'"{[])/gu;

/** The unquoted values inside `{ }` that contain `:[ ]`, on the line at `lineStart`. */
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

/** The position of the brace that closes the map, or of the comma before the next key, ignoring brackets inside the value. */
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

/** Whether a key follows. Limited to 100 characters, so that time is linear even for long lines. */
function isBeforeKey(line: string, from: number): boolean {
  return /^\s*["']?[\p{L}_][\p{L}\p{N}_-]*["']?:\s/u.test(line.slice(from, from + 100));
}
