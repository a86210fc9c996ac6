/** Reads responses, triggers and mappings of an operation, and error bodies. */
import type { Report } from '../diagnostics/report.js';
import type { Expression } from '../expression/ast.js';
import type { Notation } from '../expression/notation.js';
import { mapParts } from '../expression/visit.js';
import { syntaxOfText } from './syntax.js';
import { parseExpression } from '../expression/parse/parse.js';
import { Fields } from './fields.js';
import type { ErrorForm, Errors, Mapping, Omits, Response, Schema, Trigger } from './config-model.js';
import { entryOf, type Entry, type ListNode, type MapNode, type Node } from './yaml/node.js';
import { readTemplateHeader } from './read-header.js';
import { readSchema } from './read-schema-notation.js';
import { fieldTable } from './field-table.js';

/** `all`: the responses of the operation. */
export function readResponse(
  map: MapNode,
  all: readonly MapNode[],
  notation: Notation,
  report: Report,
): Response {
  const fields = new Fields(responseName(map), map, fieldTable.response, report);
  fields.require(undefined, isOtherDefault(map, all) ? { default: 'false' } : {});
  const schema = fields.node('schema');
  const isDefault = fields.boolean('default');
  return {
    name: fields.stringWithSpan('name') ?? { value: '', span: fields.headSpan },
    default: isDefault ?? false,
    isDefaultKnown: isDefault !== undefined,
    if: fields.expression('if', notation),
    statuscode: fields.integer('statuscode') ?? { value: 200, span: fields.headSpan },
    schema: schema && readSchema(schema, notation, report),
    header: readTemplateHeader(fields, notation, report),
    contentType: readContentType(fields, notation),
    fileName: fields.expression('fileName', { ...notation, bareWord: 'file' }),
    etag: readEtag(fields, notation),
    spreadsheet: fields.boolean('spreadsheet') ?? false,
    omits: readOmits(fields),
    fields: fields.spans,
  };
}

/** Whether the response is not the default: it has a condition, or another response is the default, or will probably be. */
function isOtherDefault(map: MapNode, all: readonly MapNode[]): boolean {
  if (entryOf(map, 'if') !== undefined) return true;
  const isDefault = (one: MapNode): boolean => {
    const value = entryOf(one, 'default')?.value;
    return value?.kind === 'scalar' && value.text.value.toLowerCase() === 'true';
  };
  const isOpen = (one: MapNode): boolean =>
    entryOf(one, 'default') === undefined && entryOf(one, 'if') === undefined;
  return all.some(isDefault) || (isOpen(map) && all.find(isOpen) !== map);
}

/** `omitNull` and `omitEmpty` of a response or of the settings. */
export function readOmits(fields: Fields): Omits {
  return { null: fields.boolean('omitNull'), empty: fields.boolean('omitEmpty') };
}

/** A media type, or that of a stored file. */
function readContentType(fields: Fields, notation: Notation): Response['contentType'] {
  const node = fields.node('contentType');
  if (node?.kind !== 'map') return fields.stringWithSpan('contentType');
  const inner = fields.inside('contentType', fieldTable.fileType);
  inner?.require();
  return {
    stored: inner?.expression('value', { ...notation, bareWord: 'column' }),
    allowed: inner?.names('allowed', 'image/png', 'a media type') ?? [],
    span: inner?.headSpan ?? node.span,
  };
}

/** `true`, or the version as an expression. */
function readEtag(fields: Fields, notation: Notation): Response['etag'] {
  const node = fields.node('etag');
  if (node?.kind === 'scalar' && node.text.value === 'true') return true;
  return fields.expression('etag', { ...notation, bareWord: 'column' });
}

function responseName(map: MapNode): string {
  const name = entryOf(map, 'name')?.value;
  return name?.kind === 'scalar' && name.text.value !== '' ? `Response '${name.text.value}'` : 'A response';
}

export function readTrigger(map: MapNode, report: Report): Trigger {
  const fields = new Fields('A trigger', map, fieldTable.trigger, report);
  fields.require();
  return {
    name: fields.stringWithSpan('name') ?? { value: '', span: fields.headSpan },
    cron: fields.text('cron'),
    timezone: fields.text('timezone'),
  };
}

/** The fulfillment name written where its fields are expected; otherwise an example name. */
function nameIn(value: Node | undefined): string {
  return value?.kind === 'scalar' && /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(value.text.value)
    ? value.text.value
    : 'news';
}

/** The name in the first value of a map or list; otherwise an example name. */
function firstName(value: MapNode | ListNode): string {
  return nameIn(value.kind === 'map' ? value.entries[0]?.value : value.items[0]);
}

/** Reads `mappings`: a map from model names to maps of `<model field>: <fulfillment>.<field>`. */
export function readMappings(entries: readonly Entry[], { names }: Notation, report: Report): Mapping[] {
  return entries.flatMap(({ key, value }) => {
    if (value.kind !== 'map') {
      const expected = 'a map of `<model field>: <fulfillment>.<field>`';
      const example = `${key.text.value}: { id: ${nameIn(value)}.id }`;
      report.add('wrong-kind', value.span, {
        what: `The mapping of '${key.text.value}'`,
        expected,
        example,
      });
      return [{ model: { value: key.text.value, span: key.span }, fields: [], isUnread: true }];
    }
    const fields = value.entries.flatMap((entry) => {
      const field = { value: entry.key.text.value, span: entry.key.span };
      if (entry.value.kind !== 'scalar') {
        const expected = '`<fulfillment>.<field>`';
        report.add('wrong-kind', entry.value.span, {
          what: `The mapping of '${entry.key.text.value}'`,
          expected,
          example: `${entry.key.text.value}: ${firstName(entry.value)}.id`,
        });
        return [{ field, value: undefined }];
      }
      return [{ field, value: parseExpression(entry.value.text, { syntax: 'B', names }, report) }];
    });
    return [{ model: { value: key.text.value, span: key.span }, fields }];
  });
}

/** Reads a schema in which `error.status` (Syntax B) refers to the error, not to a fulfillment. */
export function readErrorSchema(node: Node, notation: Notation, report: Report): Schema | undefined {
  const schema = readSchema(node, notation, report);
  const { syntax, names } = notation;
  return schema && syntax === 'B' && names?.has('error') !== true ? withErrors(schema) : schema;
}

function withErrors(schema: Schema): Schema {
  switch (schema.kind) {
    case 'leaf':
      return { ...schema, value: withError(schema.value) };
    case 'object': {
      const fields = schema.fields.map((field) => ({ ...field, value: withErrors(field.value) }));
      return { ...schema, fields };
    }
    case 'array':
      return { ...schema, list: withError(schema.list), item: withErrors(schema.item) };
  }
}

function withError(node: Expression): Expression {
  if (node.kind === 'value' && node.name === 'error')
    return { kind: 'error', path: node.path, span: node.span };
  if (node.kind === 'result' && node.name === 'error') return { kind: 'error', path: [], span: node.span };
  return mapParts(node, withError);
}

/** Reads `message`, `problem`, or a list of forms. */
export function readErrors(fields: Fields, report: Report): Errors {
  const node = fields.node('errors');
  if (node === undefined) return 'message';
  if (node.kind === 'scalar') return fields.word('errors', ['message', 'problem'])?.value ?? 'message';
  const formFields = ['statuscode', 'schema'];
  if (node.kind === 'map' && !node.entries.some(({ key }) => formFields.includes(key.text.value))) {
    report.add('wrong-kind', node.span, {
      what: "'errors'",
      expected: 'message, problem, or a list of forms',
      example: 'errors: problem',
    });
    return 'message';
  }
  return fields.maps('errors', 'a form of errors', formFields).map((map) => readForm(map, report));
}

function readForm(map: MapNode, report: Report): ErrorForm {
  const fields = new Fields('A form of errors', map, fieldTable.errors, report);
  fields.require();
  const schema = fields.node('schema');
  const statuses = fields.node('statuscode');
  return {
    statuses: statuses && readStatuses(statuses, report),
    contentType: fields.text('contentType'),
    schema: schema && readErrorSchema(schema, { syntax: syntaxOfText(map) }, report),
  };
}

function readStatuses(node: Node, report: Report): (number | string)[] {
  const items = node.kind === 'list' ? node.items : [node];
  return items.flatMap((item): (number | string)[] => {
    const text = item.kind === 'scalar' ? item.text.value : '';
    if (/^[45]\d\d$/.test(text)) return [Number(text)];
    if (/^[45]xx$/i.test(text)) return [text.toLowerCase()];
    report.add('wrong-kind', item.span, {
      what: "'statuscode'",
      expected: 'a status from 400 to 599, 4xx, 5xx, or a list of them',
      example: 'statuscode: [401, 4xx]',
    });
    return [];
  });
}

export function isBasePath(path: string): boolean {
  return /^(?:\/[A-Za-z0-9._~-]+)+$/.test(path);
}

/** A path that begins with a slash and does not end with one; empty if the field is missing. */
export function readBasePath(fields: Fields, report: Report): string {
  const text = fields.text('basePath');
  if (text === undefined || isBasePath(text.value)) return text?.value ?? '';
  report.add('wrong-kind', text.span, {
    what: "'basePath'",
    expected: 'a path that begins with a slash and does not end with one',
    example: 'basePath: /api/v1',
  });
  return '';
}
