/** The JSON schema of configurations, generated from the table of fields, with which editors check and complete YAML. */
import { requiredFields } from '../../read/config/read-authentication.js';
import { authenticationFields, datasourceFields, fulfillmentFields } from '../../read/config/meant-fields.js';
import {
  fieldTable,
  kindNames,
  requiredIn,
  type FieldInfo,
  type Kind,
} from '../../read/config/field-table.js';
import type { JsonMap } from '../../read/json.js';

/** An identifier only; this URL is never fetched. */
const draft = 'http://json-schema.org/draft-07/schema#';

/** The JSON schema (draft-07), as used by the YAML language server. */
export function jsonSchema(): JsonMap {
  const kinds = Object.keys(fieldTable) as Kind[];
  const { properties, required } = objectOf('configuration');
  return {
    $schema: draft,
    title: 'apikiln configuration',
    type: 'object',
    properties,
    required,
    anyOf: [{ required: ['operations'] }, { required: ['include'] }],
    // Keys defined by the user, for example to hold anchors.
    patternProperties: { '^x-': true },
    additionalProperties: false,
    definitions: definitionsOf(kinds.filter((kind) => kind !== 'configuration')),
  };
}

/** The schema of included files, which are maps of operations. */
export function includedJsonSchema(): JsonMap {
  return {
    $schema: draft,
    title: 'operations of an apikiln configuration',
    type: 'object',
    additionalProperties: reference('operation'),
    minProperties: 1,
    definitions: definitionsOf(kindsBelow('operation')),
  };
}

/** The kind, and all kinds nested in it. */
function kindsBelow(kind: Kind): Kind[] {
  const found = new Set([kind]);
  for (const one of found)
    for (const { of } of Object.values(fieldTable[one])) if (of !== undefined) found.add(of);
  return [...found];
}

function definitionsOf(kinds: readonly Kind[]): JsonMap {
  return {
    ...Object.fromEntries(kinds.map((kind) => [kind, definitionOf(kind)])),
    scalar: { type: ['string', 'number', 'boolean'] },
    schemaNotation: {
      description:
        'Nested maps whose leaves are expressions. `list` and `item` together build an array; inside `item`, `@` is the current element.',
      anyOf: [
        { type: ['string', 'number', 'boolean', 'null'] },
        { type: 'object', additionalProperties: reference('schemaNotation') },
      ],
    },
  };
}

function reference(name: string): JsonMap {
  return { $ref: `#/definitions/${name}` };
}

function objectOf(kind: Kind): { properties: JsonMap; required: readonly string[] } {
  const fields = Object.entries(fieldTable[kind]);
  return {
    properties: Object.fromEntries(fields.map(([name, info]) => [name, fieldSchema(info)])),
    required: requiredIn(fieldTable[kind]),
  };
}

function definitionOf(kind: Kind): JsonMap {
  const { properties, required } = objectOf(kind);
  return {
    title: kindNames[kind].replaceAll(/^(?:an?|the) |'/g, ''),
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...moreOf(kind),
  };
}

/** Constraints between fields of a kind, such as exactly one of `query`, `request`, `sql` and `message`. */
function moreOf(kind: Kind): JsonMap {
  switch (kind) {
    case 'instruction':
      return { oneOf: ['query', 'request', 'sql', 'message'].map((field) => ({ required: [field] })) };
    case 'request':
      return { not: { required: ['body', 'multipart'] } };
    case 'limit':
      return { anyOf: Object.keys(fieldTable.limit).map((field) => ({ required: [field] })) };
    case 'datasource':
      return byType(kind, datasourceFields, { db: ['url'] });
    case 'authentication':
      // A hash can replace the password, and an operation the account.
      return byType(kind, authenticationFields, { ...requiredFields, basicauth: [] });
    case 'fulfillment':
      return byType(kind, fieldsInBoth, {
        ...{ READ: ['datasource'], UPDATE: ['datasource'], CODE: ['function'] },
        ...{ LOOP: ['loop', 'fulfillments'], reference: ['operationName'] },
      });
    default:
      return {};
  }
}

const inB: Readonly<Record<string, readonly string[]>> = fulfillmentFields.B;

/** Fields of each fulfillment type, in either syntax. */
const fieldsInBoth = Object.fromEntries(
  Object.entries(fulfillmentFields.A).map(([type, own]) => [type, [...own, ...(inB[type] ?? [])]]),
);

/** Requires the fields of each type, and forbids the fields of other types. */
function byType(
  kind: Kind,
  fields: Readonly<Record<string, readonly string[]>>,
  required: Readonly<Record<string, readonly string[]>>,
): JsonMap {
  const one = ([type, own]: [string, readonly string[]]): JsonMap => {
    const others = Object.keys(fieldTable[kind]).filter((field) => !own.includes(field));
    const needed = required[type] ?? [];
    const lists = ['instructions', 'queries'].filter((field) => own.includes(field));
    return {
      if: { properties: { type: wordSchema([type]) }, required: ['type'] },
      then: {
        ...(needed.length > 0 && { required: needed }),
        properties: Object.fromEntries(others.map((field) => [field, false])),
        ...(lists.length > 0 && { oneOf: lists.map((field) => ({ required: [field] })) }),
      },
    };
  };
  return { allOf: Object.entries(fields).map(one) };
}

function fieldSchema(info: FieldInfo): JsonMap {
  const shape = shapeOf(info);
  const description = `${info.about}\n\nExample: ${info.example}`;
  return { description, ...(info.isDeprecated === true && { deprecated: true }), ...shape };
}

/**
 * A pattern for a number range. Patterns cannot compare numbers, but a range of whole hundreds, such as statuses, is a range of first
 * digits.
 */
function digitsBetween(min = 0, max = 0): string {
  const isHundreds = min % 100 === 0 && max % 100 === 99 && min >= 100 && max <= 999;
  return isHundreds ? `^[${min / 100}-${Math.floor(max / 100)}][0-9]{2}$` : '^[0-9]+$';
}

function shapeOf(info: FieldInfo): JsonMap {
  const { holds = 'string', of, words = [], min, max } = info;
  const own = of === undefined ? true : reference(of);
  switch (holds) {
    case 'string':
    case 'expression':
    case 'condition':
      return { type: ['string', 'number', 'boolean'] };
    case 'conditions':
      return { anyOf: [reference('scalar'), { type: 'array', items: reference('scalar') }] };
    case 'integer':
      return {
        anyOf: [
          { type: 'integer', minimum: min, maximum: max },
          { type: 'string', pattern: digitsBetween(min, max) },
        ],
      };
    case 'number':
      return {
        anyOf: [
          { type: 'number', minimum: min, maximum: max },
          { type: 'string', pattern: '^[0-9]+([.][0-9]+)?$' },
        ],
      };
    case 'boolean':
      return { enum: [true, false, 'true', 'false'] };
    case 'word':
      return wordSchema(words);
    case 'headers':
      return {
        type: 'array',
        items: {
          anyOf: [
            { type: 'string', pattern: '^[^:\\s]+:' },
            { type: 'object', minProperties: 1, maxProperties: 1, additionalProperties: reference('scalar') },
          ],
        },
      };
    case 'statuses':
    case 'outcomes':
      return { anyOf: [reference('scalar'), { type: 'array', items: reference('scalar') }] };
    case 'errors':
      return { anyOf: [wordSchema(words), { type: 'array', items: reference(of ?? '') }] };
    case 'names':
      return { type: 'array', items: reference('scalar') };
    case 'namesOrMaps':
      return { type: 'array', items: { anyOf: [reference('scalar'), own] } };
    case 'strings':
      return { type: 'object', additionalProperties: reference('scalar') };
    case 'model':
      return { anyOf: [reference('scalar'), { type: 'object' }] };
    case 'models':
      return { type: 'array', items: { anyOf: [reference('scalar'), { type: 'object' }] } };
    case 'schema':
      return reference('schemaNotation');
    case 'schemas':
      return { type: 'object', additionalProperties: reference('schemaNotation') };
    case 'expressions':
      return { type: 'object', additionalProperties: reference('scalar') };
    case 'mappings':
      return {
        type: 'object',
        additionalProperties: { type: 'object', additionalProperties: reference('scalar') },
      };
    case 'stringOrStrings':
      return { anyOf: [reference('scalar'), { type: 'object', additionalProperties: reference('scalar') }] };
    case 'stringOrNames':
      return { anyOf: [reference('scalar'), { type: 'array', items: reference('scalar') }] };
    case 'stringOrMap':
      return { anyOf: [reference('scalar'), own] };
    case 'map':
      // All settings may be commented out.
      return of === 'settings' ? { anyOf: [own, { type: 'null' }] } : own === true ? {} : { allOf: [own] };
    case 'list':
      return {
        type: 'array',
        items: own,
        ...(of === 'trigger' || of === 'exception' ? {} : { minItems: 1 }),
      };
    case 'namedOrStrings':
      return {
        type: 'object',
        minProperties: 1,
        additionalProperties: { anyOf: [reference('scalar'), own] },
      };
    case 'named':
      return of === 'authentication'
        ? { type: ['object', 'null'], additionalProperties: own }
        : { type: 'object', additionalProperties: own };
  }
}

/** Lists the documented spelling first, which editors suggest; other letter cases are accepted too. */
function wordSchema(words: readonly string[]): JsonMap {
  const anyCase = (word: string): string =>
    word.replaceAll(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);
  return {
    anyOf: [
      { enum: words.map((word) => (word === 'true' || word === 'false' ? word === 'true' : word)) },
      { type: 'string', pattern: `^(?:${words.map(anyCase).join('|')})$` },
    ],
  };
}
