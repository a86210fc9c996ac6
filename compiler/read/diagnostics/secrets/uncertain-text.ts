/** Finds text that is not certainly a word of the language, in a file of unknown structure: YAML could not read all of it. */
import { wordSet } from '../../wordset.js';
import { nearest } from '../suggest.js';
import type { Stretch } from './secret-sections.js';
import { isOwnWord, isSecretField } from './secret-words.js';
import { isHeaderField } from './shown-keys.js';

/** The names of all fields, which are listed with their forms in the field table above this. */
export const fields = wordSet(`
  specification include operations datasources authentications settings exceptions fulfillments responses
  triggers mappings transaction name type if datasource instructions loopbreak index onFailure loop concurrency
  operationName parameters function input returns queries order page join query request sql param url httpType
  header body multipart response retry idempotencyKey pages signature deliver key by allow default limit max after next
  parameter items scheme secret tokenUrl clientId clientSecret scope clientAuth perSecond atOnce times on wait
  maxWait contentType schema statuscode message code fileName etag spreadsheet cron timezone user password
  driver pool timeout context role oauth2 description outbox min passwordHash issuer audience jwks algorithms
  scopesClaim cookie keys operation secrets scopes optional debug features apiDocs basePath errors licence
`);

/** Fields whose strings are often continued in the lines below. */
const longTexts = new Set(['query', 'sql', 'message']);

/** Brackets, commas and the colons after keys, and the text between them and quotes. */
const parts = /[[\]{},]|:(?=["'\s]|$)|(?:[^[\]{},"':]|:(?!["'\s]|$))+/g;

/** Names of operations, expressions, the marks of a merge conflict, numbers and the smallest words. */
const plain =
  /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \/[^\s:"',]*|\b[A-Z]{2,12}\([^()"']*\)?|^[<=>|]{7}.*|(?<!\S)(?:\d{1,5}|[a-z]{1,3})(?!\S)/g;

/** After a key: nothing, a map, a list, a block or an expression. */
const plainValue = /^["']?\s*:\s*["']*(?:$|[[{#|>]|[A-Z]{2,12}\()/;

const statement = /^[\s-]*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/;

/** The words of a file, except in values of known fields and expressions, and except their keys. */
export function uncertainWords(text: string): Stretch[] {
  const uncertain: Stretch[] = [];
  let isLongText = false;
  for (const { index: lineStart, 0: line } of text.matchAll(/[^\n]+/g)) {
    if (/^\s*-(?!-)/.test(line)) isLongText = false;
    let isKnown: boolean = isLongText || statement.test(line);
    const rest = line.replaceAll(plain, (written) => '-'.repeat(written.length));
    const found = [...rest.matchAll(parts)].filter(([part]) => part.trim() !== '');
    for (const [position, { index, 0: part }] of found.entries()) {
      if (found[position + 1]?.[0] === ':' && !/^[[\]{},]$/.test(part)) {
        const name = part.replace(/^[\s-]+/, '').trimEnd();
        isKnown = fields.has(name) && !isSecretField(name) && !isHeaderField(name);
        isLongText = isKnown && longTexts.has(name);
        if (isShownKey(name, line.slice(index + part.length))) continue;
      }
      if (isKnown) continue;
      for (const { index: at, 0: word } of part.matchAll(/[^\s-]\S*/g)) {
        const start = lineStart + index + at;
        if (!fields.has(word) && !isOwnWord(word) && /[\p{L}\p{N}]/u.test(word))
          uncertain.push({ start, end: start + word.length });
      }
    }
  }
  return uncertain;
}

/** Whether it certainly is a key, because of the text after it, or a field name with a wrong letter. */
function isShownKey(name: string, behind: string): boolean {
  if (fields.has(name)) return true;
  return /^\w{1,30}$/.test(name) && (plainValue.test(behind) || nearest(name, fields, 5) !== undefined);
}
