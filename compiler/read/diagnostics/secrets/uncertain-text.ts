/** Finds text that might not be a word of the language, in a file whose structure is unknown because of invalid YAML. */
import { wordSet } from '../../wordset.js';
import { nearest } from '../suggest.js';
import type { Stretch } from './secret-sections.js';
import { isOwnWord, isSecretField } from './secret-words.js';
import { isHeaderField } from './shown-keys.js';

/** The names of all fields but `value`, after which people write secrets; a lower layer cannot import them from the field table. */
export const fields = wordSet(`
  specification include operations datasources authentications settings exceptions fulfillments responses
  triggers mappings transaction name type if datasource instructions loopbreak index onFailure loop concurrency together
  operationName parameters function input returns queries order page join query request sql param url httpType
  header body multipart response retry idempotencyKey pages signature deliver key by allow allowed default limit max after next filter from column operators plain separator
  parameter items scheme secret tokenUrl clientId clientSecret scope clientAuth perSecond atOnce times on wait
  maxWait limits within count store idempotency required keep contentType contentTypes schema statuscode message code constraint fileName etag spreadsheet omitNull omitEmpty cron timezone user password
  driver pool timeout context role oauth2 description outbox min passwordHash issuer audience expiry jwks
  functions to cc replyTo subject text html number offset maxOffset maxTotal invalid
  algorithms scopesClaim issue lifetime claims prefix cookie keys operation secrets scopes optional debug features apiDocs basePath errors numbers licence
  mcp path tool
`);

/** Fields with strings that usually continue on the lines below. */
const longTexts = new Set(['query', 'sql', 'message']);

/** Brackets, commas, colons after keys, and the text between these and quotes. */
const parts = /[[\]{},]|:(?=["'\s]|$)|(?:[^[\]{},"':]|:(?!["'\s]|$))+/g;

/** Names of operations, expressions, merge conflict markers, numbers and very short words. */
const plain =
  /\b(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \/[^\s:"',]*|\b[A-Z]{2,12}\([^()"']*\)?|^[<=>|]{7}.*|(?<!\S)(?:\d{1,5}|[a-z]{1,3})(?!\S)/g;

/** A key followed by nothing, a map, a list, a block or an expression. */
const plainValue = /^["']?\s*:\s*["']*(?:$|[[{#|>]|[A-Z]{2,12}\()/;

const statement = /^[\s-]*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/;

/** The words of a file, except for keys and for values of known fields and expressions. */
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

/** Whether the name is certainly a key because of the text that follows, or a field name with one wrong letter. */
function isShownKey(name: string, behind: string): boolean {
  if (fields.has(name)) return true;
  return /^\w{1,30}$/.test(name) && (plainValue.test(behind) || nearest(name, fields, 5) !== undefined);
}
