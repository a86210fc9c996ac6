/** Schema keywords that do not contain other schemas. */
import { isExact, isJsonNumber } from '../../../runtime/handler/decimal.js';
import type { Format } from '../../../runtime/validate/formats.js';
import { compilePattern } from '../../../runtime/validate/pattern.js';
import type { Node } from '../config/yaml/node.js';
import { nearest } from '../diagnostics/suggest.js';
import type { ApiSchema, ApiType } from './api-model.js';
import { typedValue, type Typed } from './literal-values.js';

/** Reports an ignored keyword. */
type ReportKeyword = (node: Node, keyword: string, problem: string) => void;

const apiTypes: readonly ApiType[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/** Type names from other languages. */
const otherWords: ReadonlyMap<string, ApiType> = new Map([
  ...(['int', 'long', 'int32', 'int64'] as const).map((word) => [word, 'integer'] as const),
  ...(['float', 'double', 'decimal'] as const).map((word) => [word, 'number'] as const),
  ...(['text', 'str', 'date', 'date-time', 'uuid', 'file'] as const).map((word) => [word, 'string'] as const),
  ...(['bool'] as const).map((word) => [word, 'boolean'] as const),
  ...(['list'] as const).map((word) => [word, 'array'] as const),
  ...(['map', 'dict'] as const).map((word) => [word, 'object'] as const),
]);

/** Keywords that do not restrict values, and therefore have no effect next to a `$ref`. */
const annotations: ReadonlySet<string> = new Set(
  '$ref $comment description summary title example examples deprecated externalDocs xml readOnly writeOnly $schema'.split(
    ' ',
  ),
);

export function isAnnotation(keyword: string): boolean {
  return annotations.has(keyword) || keyword.startsWith('x-');
}

/** JSON Schema keywords that restrict values but are not checked. */
export const unchecked: ReadonlySet<string> = new Set(
  `if then else contains minContains maxContains propertyNames dependentRequired dependentSchemas dependencies
  unevaluatedProperties unevaluatedItems $dynamicRef`.split(/\s+/),
);

const keywords: ReadonlySet<string> = new Set(
  `type enum const format pattern default nullable required properties patternProperties additionalProperties items prefixItems allOf
  anyOf oneOf not minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems
  minProperties maxProperties discriminator contentMediaType contentEncoding contentSchema definitions id $id $defs $anchor
  $dynamicAnchor $vocabulary $recursiveRef $recursiveAnchor`.split(/\s+/),
);

/** The keyword probably meant by an unknown one; undefined for known keywords and for names that are probably intentional. */
export function meantKeyword(keyword: string): string | undefined {
  if (keyword.length < 4 || keywords.has(keyword) || unchecked.has(keyword) || isAnnotation(keyword))
    return undefined;
  return nearest(keyword, keywords);
}

/** Reads `type`, which can have several values; unknown types are ignored. */
export function typesOf(
  node: Node | undefined,
  nullable: boolean,
  reportKeyword: ReportKeyword,
): readonly ApiType[] | undefined {
  if (node === undefined) return undefined;
  const types = (node.kind === 'list' ? node.items : [node]).flatMap((item) => {
    if (item.kind !== 'scalar') {
      reportKeyword(item, 'type', 'a type is a word, such as string');
      return [];
    }
    // An unquoted `type: null` means the type 'null'.
    const word = item.text.value;
    const known = apiTypes.find((type) => type === word);
    if (known === undefined) {
      const meant = otherWords.get(word.toLowerCase()) ?? nearest(word, apiTypes);
      reportKeyword(
        item,
        'type',
        `unknown type '${word}'${meant === undefined ? '' : `; did you mean '${meant}'?`}`,
      );
    }
    return known ?? [];
  });
  if (types.length === 0) return undefined;
  return nullable && !types.includes('null') ? [...types, 'null'] : types;
}

/** Reads `enum`, or `const` as a single value. */
export function enumOf(
  list: Node | undefined,
  constant: Node | undefined,
  typed: Typed,
  reportKeyword: ReportKeyword,
): ApiSchema['enum'] {
  const only = constant && typedValue(constant, typed);
  if (list === undefined) return constant && [only];
  if (list.kind === 'list') {
    const listed = list.items.map((item) => typedValue(item, typed));
    return constant === undefined
      ? listed
      : listed.filter((value) => JSON.stringify(value) === JSON.stringify(only));
  }
  reportKeyword(list, 'enum', 'it must be a list');
  return constant && [only];
}

const numberBounds = [
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties'],
];

/** The bounds in a fixed order, regardless of the order in the file. */
export function boundsOf(
  value: (key: string) => Node | undefined,
  reportKeyword: ReportKeyword,
): ApiSchema['bounds'] {
  const bounds = new Map<string, number | string | boolean>();
  const put = (
    keyword: string,
    expected: string,
    read: (node: Node) => number | string | boolean | undefined,
  ): void => {
    const node = value(keyword);
    const found = node && read(node);
    if (found !== undefined) bounds.set(keyword, found);
    else if (node !== undefined) reportKeyword(node, keyword, `it must be ${expected}`);
  };
  for (const keyword of numberBounds) put(keyword, 'a number', numberIn);
  for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum'])
    put(keyword, 'a number, or true or false', (node) => numberIn(node) ?? booleanIn(node));
  put('uniqueItems', 'true or false', booleanIn);
  const pattern = value('pattern');
  if (pattern !== undefined && pattern.kind !== 'scalar')
    reportKeyword(pattern, 'pattern', 'it must be a string');
  // An invalid pattern is reported elsewhere.
  else if (pattern !== undefined && patternProblem(pattern.text.value) === undefined)
    bounds.set('pattern', pattern.text.value);
  return bounds;
}

/** A number, also in quotes; a string if a double would lose precision. */
function numberIn(node: Node): number | string | undefined {
  if (node.kind !== 'scalar' || !isJsonNumber(node.text.value)) return undefined;
  return isExact(node.text.value) ? Number(node.text.value) : node.text.value;
}

function booleanIn(node: Node): boolean | undefined {
  return node.kind === 'scalar' && typeof node.value === 'boolean' ? node.value : undefined;
}

/** The reason why a pattern cannot be matched in linear time; undefined if it can be, or if it is invalid. */
export function slowPattern(pattern: string): string | undefined {
  return patternProblem(pattern) === undefined ? compilePattern(pattern).slow : undefined;
}

/** The error in a regular expression; undefined if valid. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return String(error).replace(/^.*: /s, '');
  }
}

/** Whether a valid pattern matches the string. */
export function patternMatches(pattern: string, text: string): boolean {
  return compilePattern(pattern).test(text) === true;
}

const formats: Readonly<Record<Format, true>> = {
  ...{ date: true, 'date-time': true, time: true, uuid: true },
  ...{ email: true, ipv4: true, ipv6: true, uri: true },
};

/** The format if it is validated, otherwise undefined. */
export function checkedFormat(format: string | undefined): string | undefined {
  return format !== undefined && Object.hasOwn(formats, format) ? format : undefined;
}
