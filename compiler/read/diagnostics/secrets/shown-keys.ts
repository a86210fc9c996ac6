/** Finds the displayable parts of concealed text: keys, types, URL schemes and option names, names of headers and environment variables. */
import { isSecretField } from './secret-words.js';
import { nearest } from '../suggest.js';
import { wordSet } from '../../wordset.js';

/** A line with content; `end` excludes the line break. */
export interface TextLine {
  readonly start: number;
  readonly end: number;
  readonly indent: number;
}

/** Receives displayable ranges, and the names among them. */
export interface Shown {
  readonly show: (start: number, end: number) => void;
  readonly name: (name: string) => void;
}

const fieldPattern = /[ \t]*(?:- +)*(["']?)([\p{L}_][\p{L}\p{N}_.-]{0,63})\1(?=[ \t]*:(?:[ \t\r\n]|$))/uy;
/** A key with spaces is the name of an entry if nothing or a map follows. */
const entryPattern =
  /[ \t]*(["']?)([\p{L}_][\p{L}\p{N}_. -]{0,63})\1(?=[ \t]*:[ \t]*(?:[\r\n{]|&[\w-]+[ \t]*[\r\n{]|$))/uy;

/** A key in block style, and the start of its value. */
export interface LineKey {
  readonly name: string;
  readonly valueStart: number;
}

export function keyOf(text: string, { start, end }: TextLine): LineKey | undefined {
  for (const pattern of [fieldPattern, entryPattern]) {
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    if (match !== null && pattern.lastIndex <= end)
      return { name: match[2] ?? '', valueStart: text.indexOf(':', pattern.lastIndex) + 1 };
  }
  return undefined;
}

/** Whether the value of a key is a map or list on the lines below. */
function isOpen(value: string): boolean {
  return /^(?:&[\w-]{1,40})?\s*(?:#.*)?$/s.test(value);
}

/** Shows the keys of lines in block style. Lines indented more than a key with a value belong to that value. */
export function showKeys(text: string, lines: readonly TextLine[], shown: Shown): void {
  let valueIndent = Number.POSITIVE_INFINITY;
  let headerIndent = Number.POSITIVE_INFINITY;
  let list = '';
  for (const [index, line] of lines.entries()) {
    const { start, end, indent } = line;
    const first = text[start + indent];
    if (indent > valueIndent || first === '#') continue;
    valueIndent = indent;
    if (indent >= headerIndent && first === '-') {
      showHeaderName(text, start, end, shown);
      showValue(text, start, end, '', shown);
      continue;
    }
    if (first === '-') {
      showItem(text, start + indent, end, list, shown);
      if (list === 'limits' && /^-[ \t]+\{/.test(text.slice(start + indent, end))) {
        showFlow(text, start + indent + 1, end, shown);
        continue;
      }
    }
    headerIndent = Number.POSITIVE_INFINITY;
    const key = keyOf(text, line);
    if (key === undefined) continue;
    const { name, valueStart } = key;
    shown.show(start, valueStart);
    shown.name(name);
    const value = text.slice(valueStart, Math.min(end, valueStart + 100)).trimStart();
    list = isOpen(value) ? name : '';
    if (isOpen(value)) {
      if (!isOfText(name) || isEntry(text, lines, index)) valueIndent = Number.POSITIVE_INFINITY;
      if (isHeaderField(name)) headerIndent = indent;
    } else if (/^(?:&[\w-]{1,40} +)?[{[]/.test(value)) showFlow(text, valueStart, end, shown, name);
    else showValue(text, valueStart, end, name, shown);
  }
}

/** Words that are displayable in a list of algorithms. */
const likelyAlgorithm = /^(["']?)[A-Za-z]{2,7}-?\d{0,4}\1$/;

/** Names of signature algorithms, which are displayable anywhere. */
const algorithm = /^(["']?)(?:[REPH]S(?:256|384|512)|EdDSA|Ed25519)\1$/;

/** Any word in `features` is displayable, because nobody writes a secret there. */
const feature = /^(["']?)[a-z]+(?:[-_][a-z]+)*\1$/i;

/** A value by which a limit counts, alone or in a list. */
const limitValue =
  /^(["']?)(?:(?:PARAM|HEADER|QUERY|COOKIE|CALLER|BODY)\([\w$.-]{0,60}\)|ADDRESS\(\)|address\(\)|(?:param|header|query|cookie|caller|body)(?:\.[\w-]{1,40}){1,5})\1$/;

/** Whether the list item is a word of the language, or is read as one. */
function isListedWord(item: string, list: string): boolean {
  return (
    algorithm.test(item) ||
    (list === 'by' && limitValue.test(item)) ||
    (list === 'algorithms' && likelyAlgorithm.test(item)) ||
    (list === 'features' && item.length <= 30 && feature.test(item))
  );
}

function showItem(text: string, start: number, end: number, list: string, shown: Shown): void {
  const [lead = '', value = ''] = /^-[ \t]+(\S{1,30})(?=[ \t\r]*$)/.exec(text.slice(start, end)) ?? [];
  if (!isListedWord(value, list)) return;
  shown.show(start, start + lead.length);
  if (list === 'by') shown.name(value);
}

const expression =
  /^(?:- +)?(?:[\w$-]{1,64}: *)?(["']?)(?:(?:ERROR|CONCAT|COALESCE|TEXT|INTEGER|DECIMAL|BOOLEAN|NULL|LIST|SIZE|VALUE|PARAM|BODY|HEADER|QUERY|COOKIE|CALLER|NOW|UUID|RANDOM|SHA256|LENGTH|LOWER|HASH|VERIFY|OUTDATED|TOKEN|ENV)\([^\n]*\)|(?:error|param|body|header|query|cookie|caller|@)[.[][^\s:]*|(?:concat|coalesce|random|sha256|length|lower|hash|verify|outdated|token)\([^\n]*\)|[a-z]\w{0,40}\.[a-z]\w{0,40})\1$/;
const listedStatuses = /^(?:- +)?statuscode: *(?:\[[\w ,]*\]|\w+)$/;
/** A map on one line that consists of keys, constants, calls and request paths. */
const schemaLine =
  /^(?:- +)?(?:[\w$-]{1,64}: *)?\{(?: *["']?[\w$-]{1,64}["']?: *(?:\{|["']?(?:[A-Z][A-Z\d_]{1,29}\([^()\n]{0,200}\)|[a-z]\w{0,40}(?:\.[a-z]\w{0,40}){1,5})["']?)? *[},]*)+$/;
const mediaType = /^(?:- +)?contentType: *["']?[a-z]+\/[\w.+-]+["']?$/;

/** Shows expressions, statuses and content types under `settings.errors`: clients receive their results anyway. */
export function showForms(text: string, lines: readonly TextLine[], shown: Shown): void {
  const errors = lines.findIndex(({ start, end }) => /^\s+errors:\s*$/.test(text.slice(start, end)));
  const indent = lines[errors]?.indent;
  if (indent === undefined) return;
  for (const line of lines.slice(errors + 1)) {
    const written = text.slice(line.start, line.end).trim();
    if (line.indent < indent || (line.indent === indent && !written.startsWith('- '))) return;
    if ([expression, schemaLine, listedStatuses, mediaType].some((pattern) => pattern.test(written)))
      shown.show(line.start, line.end);
  }
}

/** Whether the field's value is a string, which may begin on the next line. */
function isOfText(name: string): boolean {
  return isSecretField(name) || nearest(name, ['user', 'url']) !== undefined;
}

const typeLine = /[ \t]+type[ \t]*:[ \t]*["']?[a-z\d]{2,12}["']?[ \t\r]*(?=\n|#|$)/y;

/** Number of lines of an entry that are searched for its type. */
const linesOfEntry = 20;

/** Whether the lines below a key are those of a datasource or authentication, which can have a name such as `users` or `token`. */
function isEntry(text: string, lines: readonly TextLine[], index: number): boolean {
  const indent = lines[index + 1]?.indent ?? 0;
  if (indent <= (lines[index]?.indent ?? 0)) return false;
  for (const line of lines.slice(index + 1, index + 1 + linesOfEntry)) {
    if (line.indent < indent) return false;
    typeLine.lastIndex = line.start;
    if (line.indent === indent && typeLine.test(text)) return true;
  }
  return false;
}

export function isHeaderField(name: string): boolean {
  return nearest(name, ['header', 'headers']) !== undefined;
}

/** Also matches names with two words or with quotes, which are then the error. */
const headerPattern =
  /[ \t]*(?:- +)?["'\\]{0,3}([\w!#$%&*+.^`|~-]{1,64}(?:["'\\ ]{1,3}[A-Za-z-]{1,30})?["'\\]{0,2})(?=:[ \t])/y;

/** Shows the name of a header in `Key: Value`, and returns it. */
export function showHeaderName(text: string, start: number, end: number, shown: Shown): string | undefined {
  headerPattern.lastIndex = start;
  const match = headerPattern.exec(text);
  if (match === null || headerPattern.lastIndex > end) return undefined;
  shown.show(start, headerPattern.lastIndex + 1);
  shown.name(match[1] ?? '');
  return match[1];
}

/** Fields whose values are types, numbers and switches. */
const plainFields = wordSet(`
  type typ kind driver timeout debug features min max role times wait maxwait persecond atonce clientauth
  scheme description outbox issuer audience scopesclaim basepath numbers within count store
`);

/** Authentication fields that name a part of the request. A `cookie` header has a value with an equals sign, which is not a name. */
const namingFields = wordSet('header query cookie');
const partName = /(["']?)([A-Za-z][A-Za-z_-]{0,39})\1(?=[ \t\r]*(?:[,}]|$|#))/y;

/** Authentication fields whose values are URLs, displayable without account and options. */
const addressFields = wordSet('issuer audience jwks');
const address =
  /(["']?)(https?:\/\/[\w.-]{1,200}(?::\d{1,5})?(?:\/[\w.~/-]{0,200})?)\1(?=[ \t\r]*(?:[,}\]]|$|#))/y;

/** Expressions as values of settings with a dot in their name, such as context settings. */
const reading =
  /\b(?:(?:CALLER|PARAM|BODY|HEADER|QUERY|COOKIE)\([\w$.-]{0,60}\)|(?:caller|param|body)(?:\.\w{1,40}){1,5})/g;

const word = /(["']?)([\w./-]{1,60})\1(?=[ \t\r]*(?:[,}\]]|$|#))/y;
/** The name of an operation, which is also a key of the configuration. */
const words = /(["']?)([\w./-]{1,40}(?: [\w./-]{1,40}){0,9})\1(?=[ \t\r]*(?:[,}]|$|#))/y;
const toComma = /[^,}\n]{1,400}/y;
const block = /[|>][-+\d]{0,2}(?=[ \t\r]*$)/y;
const scheme =
  /["']?(?:jdbc:)?(?:postgresql|postgres|mysql|mariadb|https?):(?:(?:sequential|failover|loadbalance):)?\/\//iy;
const option = /[?&]([A-Za-z]{1,40}|tinyInt1isBit)=/g;
const reference = /\$\{([A-Z][A-Z0-9_]{0,63})(?:(\})|:)/g;

/** Shows the value of a plain field, the scheme and option names of a URL, and `${NAME}`. */
export function showValue(text: string, from: number, end: number, field: string, shown: Shown): void {
  let start = from;
  while (start < end && /\s/.test(text.charAt(start))) start += 1;
  const value = text.slice(start, end);
  const name = field.toLowerCase();
  const forms = [
    ...[block, scheme],
    ...(name === 'operation' ? [words] : []),
    ...(plainFields.has(name) ? [word] : []),
    ...(namingFields.has(name) ? [partName] : []),
    ...(addressFields.has(name) ? [address] : []),
  ];
  for (const pattern of forms) {
    pattern.lastIndex = 0;
    const match = pattern.exec(value);
    if (match === null) continue;
    shown.show(start, start + match[0].length);
    if (pattern === scheme) showOptions(value, start, shown);
    else if (pattern !== block) shown.name(match[2] ?? '');
  }
  if (field.includes('.')) showReadings(value, start, shown);
  showReferences(value, start, shown);
}

function showReadings(value: string, start: number, shown: Shown): void {
  for (const { index, 0: written } of value.matchAll(reading)) {
    shown.show(start + index, start + index + written.length);
    shown.name(written);
  }
}

function showOptions(value: string, start: number, shown: Shown): void {
  for (const { index, 0: written, 1: name = '' } of value.matchAll(option)) {
    shown.show(start + index, start + index + written.length);
    shown.name(name);
  }
}

/** Shows `${NAME}`, and `${NAME:default}` except for the default. */
function showReferences(value: string, start: number, shown: Shown): void {
  let close = -1;
  for (const { index, 0: written, 2: isClosed } of value.matchAll(reference)) {
    shown.show(start + index, start + index + written.length);
    if (isClosed !== undefined) continue;
    // One brace closes all open references, and is searched for only once.
    if (close !== -2 && close < index) {
      close = value.indexOf('}', index);
      if (close === -1) close = -2;
    }
    if (close >= 0) shown.show(start + close, start + close + 1);
  }
}

const token =
  /[\s{}[\],:]|"(?:[^"\\]|\\[^])*"?|'(?:[^']|'')*'?|(?:[^\s{}[\],:"']|:(?![\s{}[\],"']))(?:[^\s{}[\],:]|:(?![\s{}[\],"']))*/y;
const colonAhead = /[ \t\r\n]{0,100}:/y;
const flowName = /^[\p{L}_][\p{L}\p{N}_. -]{0,63}$/u;

/** Shows the keys in flow style (`{ type: db, url: … }` or JSON), and expressions under `errors`; `field` is the preceding key. */
export function showFlow(text: string, start: number, end: number, shown: Shown, field = ''): void {
  token.lastIndex = start;
  let before = '';
  let depth = 0;
  /** The nesting depth of `errors` while its value is read. */
  let depthOfErrors = field === 'errors' ? 0 : Number.POSITIVE_INFINITY;
  for (;;) {
    const at = token.lastIndex;
    const written = at < end ? token.exec(text)?.[0] : undefined;
    if (written === undefined) return;
    const next = Math.min(end, token.lastIndex);
    token.lastIndex = next;
    if (/^\s$/.test(written)) continue;
    const name = keyIn(text, written, before, next);
    if (/^[{[]$/.test(written)) depth += 1;
    else if (/^[}\]]$/.test(written)) depth -= 1;
    if (depth < depthOfErrors || (depth === depthOfErrors && name !== undefined))
      depthOfErrors = Number.POSITIVE_INFINITY;
    if (name === 'errors' && depth < depthOfErrors) depthOfErrors = depth;
    if (/^[{}[\],:]$/.test(written)) {
      shown.show(at, next);
      if (written === ':' && before !== 'key') field = '';
    } else if (name !== undefined) {
      shown.show(at, next);
      shown.name(name);
      field = name;
    } else if (isListedWord(written, before === '[' || before === ',' || field === 'by' ? field : '')) {
      shown.show(at, next);
      if (field === 'by') shown.name(written);
    } else if (before === ':' && depth > depthOfErrors && expression.test(written)) shown.show(at, next);
    else if (before === ':')
      showValue(text, at, Math.min(end, endOfValue(text, at, next, field)), field, shown);
    else if (isHeaderField(field)) showHeaderName(text, at, next, shown);
    before = name === undefined ? written : 'key';
  }
}

/** The end of the value: a name of several words consists of several tokens. */
function endOfValue(text: string, start: number, next: number, field: string): number {
  toComma.lastIndex = start;
  return field === 'operation' && toComma.test(text) ? toComma.lastIndex : next;
}

/** The key in the token: it follows a brace or comma and precedes a colon. */
function keyIn(text: string, written: string, before: string, next: number): string | undefined {
  if ((before !== '{' && before !== ',') || written.length > 80) return undefined;
  colonAhead.lastIndex = next;
  const name = written.replace(/^(["'])(.*)\1$/s, '$2');
  return colonAhead.test(text) && flowName.test(name) ? name : undefined;
}
