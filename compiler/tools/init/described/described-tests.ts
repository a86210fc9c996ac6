/** Tests for the operations of a description: empty lists, missing rows, adding and reading rows, placeholders. */
import { type Written } from '../../../notation/written.js';
import { template } from '../../../notation/template-writer.js';
import { yaml } from '../../../notation/yaml-writer.js';
import type { ApiEndpoint, ApiParameter } from '../../../read/openapi/api-model.js';
import { encodedPath } from '../../../read/openapi/match.js';
import { notImplemented, placeholderBody } from './described-placeholder.js';
import { isOrderParameter } from './described-order.js';
import { listShape, oneShape, onlyType, successOf, type ObjectShape } from './described-shape.js';
import { fieldOf, type DescribedOperation } from './described-steps.js';
import type { EndpointWithTable } from './described-table.js';
import { literalText } from '../../testing/read/value-patterns.js';
import { exampleValue } from '../example-value.js';

type Json = Readonly<Record<string, unknown>>;

/** A written operation with its table. */
export interface WrittenEndpoint {
  readonly target: EndpointWithTable;
  readonly made: DescribedOperation;
}

/** The content of a test file; undefined if there is nothing to test. `basePath` precedes all request paths. */
export function describedTests(
  written: readonly WrittenEndpoint[],
  basePath: string,
): Written<'yaml'> | undefined {
  const tests = written.flatMap((one) => testsOf(one, written)).map((test) => below(basePath, test));
  if (tests.length === 0) return undefined;
  return yaml`# Run them with: apikiln test\n# Every test begins with the tables of schema.sql, and the rows of seed.sql where there are some.\n${yaml.lines({ tests })}`;
}

/** The test, or a step of it, with the base path added to its request. */
function below(basePath: string, test: Json): Json {
  const { request, steps } = test;
  return {
    ...test,
    ...(typeof request === 'string' ? { request: request.replace(' ', ` ${basePath}`) } : {}),
    ...(Array.isArray(steps) ? { steps: steps.map((step: Json) => below(basePath, step)) } : {}),
  };
}

function testsOf({ target, made: { kind } }: WrittenEndpoint, written: readonly WrittenEndpoint[]): Json[] {
  const { endpoint } = target;
  const request = requestOf(endpoint, columnValues(target));
  if (request === undefined) return [];
  const { status, json } = successOf(endpoint);
  const name = `${endpoint.method} ${endpoint.path}`;
  if (kind === 'list') {
    const field = listShape(json)?.field;
    const body = field === undefined ? { body: [] } : { bodyIncludes: { [field]: [] } };
    return [
      {
        name: `${name} lists nothing in the beginning`,
        ...request,
        response: { statuscode: status, ...body },
      },
    ];
  }
  if (kind === 'read' || kind === 'delete')
    return [{ name: `${name} of a row that is missing`, ...request, response: { statuscode: 404 } }];
  if (kind === 'insert') return insertTests(target, request, written);
  if (kind !== 'placeholder') return [];
  const isBodyNeeded = endpoint.body?.required === true;
  const body = isBodyNeeded && endpoint.body.json ? exampleValue(endpoint.body.json, 'sent') : undefined;
  if (isBodyNeeded && (body === undefined || hasKept(body))) return [];
  const expected = placeholderBody(endpoint);
  return [
    {
      name: `${name} is a placeholder, so it is 501: write its statements, and what this test expects`,
      ...request,
      ...(body === undefined ? {} : { body }),
      response: { statuscode: notImplemented, ...(expected === undefined ? {} : { body: expected }) },
    },
  ];
}

/** Adds a row, and compares the returned row and a later read with the sent values. */
function insertTests(target: EndpointWithTable, request: Json, written: readonly WrittenEndpoint[]): Json[] {
  const { endpoint, table, owners } = target;
  const name = `${endpoint.method} ${endpoint.path}`;
  const example = endpoint.body?.json && exampleValue(endpoint.body.json, 'sent');
  if (!isMap(example) || table === undefined || hasKept(example)) return [];
  const ofPath = owners.map(({ column }) => fieldOf(table, column));
  const sent = Object.fromEntries(
    Object.entries(example).map(([field, value]) => {
      const owner = owners[ofPath.indexOf(field)];
      return [
        field,
        owner === undefined ? value : (columnValues(target)[owner.param] ?? pathValue(endpoint, owner.param)),
      ];
    }),
  );
  const { status, json } = successOf(endpoint);
  const one = json && oneShape(json);
  const key = fieldOf(table, table.key);
  const isKeyReturned = key !== undefined && one?.row.properties.has(key) === true;
  const adding = {
    ...request,
    body: sent,
    response: { statuscode: status, ...including(sent, one?.row, (row) => inField(one?.field, row)) },
  };
  const kept = isKeyReturned
    ? {
        keep: {
          key: `$${[one.field, key].flatMap((part) => (part === undefined ? [] : step(part))).join('')}`,
        },
      }
    : {};
  const keyValue = isKeyReturned ? ':[key]' : key === undefined ? undefined : sent[key];
  const reading = readingOf(target, sent, keyValue, written);
  if (reading === undefined) return [{ name: `${name} adds a row`, ...adding }];
  const isKept = JSON.stringify(reading).includes(':[key]');
  return [
    {
      name: `${name} adds a row, which is read as it was sent`,
      steps: [
        { name: 'add', ...adding, ...(isKept ? kept : {}) },
        { name: 'read', ...reading },
      ],
    },
  ];
}

/** The request that reads an added row: by key, or else through a list. */
function readingOf(
  target: EndpointWithTable,
  sent: Json,
  key: unknown,
  written: readonly WrittenEndpoint[],
): Json | undefined {
  const ownersOf = ({ owners }: EndpointWithTable): string =>
    owners.map(({ param, column }) => `${param} ${column.name}`).join();
  const others = written.filter(
    ({ target: other }) => other.table === target.table && ownersOf(other) === ownersOf(target),
  );
  for (const { target: other, made } of others) {
    const { endpoint, item } = other;
    if (item === undefined || made.kind !== 'read' || item.column !== target.table?.key || !isPlain(key))
      continue;
    const { status, json } = successOf(endpoint);
    const one = json && oneShape(json);
    const request = requestOf(endpoint, { ...columnValues(other), [item.param]: key });
    const expected = including(sent, one?.row, (row) => inField(one?.field, row));
    if (request !== undefined) return { ...request, response: { statuscode: status, ...expected } };
  }
  for (const { target: other, made } of others) {
    const { endpoint } = other;
    const isFiltered = endpoint.parameters.some(
      (one) =>
        one.in === 'query' &&
        one.schema?.default !== undefined &&
        onlyType(one.schema) !== 'integer' &&
        !isOrderParameter(one),
    );
    const { status, json } = successOf(endpoint);
    const list = listShape(json);
    const request = requestOf(endpoint, columnValues(other));
    const isAny = endpoint.parameters.every((one) => one.in !== 'query' || !one.required);
    if (made.kind !== 'list' || isFiltered || !isAny || request === undefined) continue;
    const expected = including(sent, list?.item, (row) => inField(list?.field, [row]));
    return { ...request, response: { statuscode: status, ...expected } };
  }
  return undefined;
}

/** Expects those sent fields that a row also contains. */
function including(sent: Json, row: ObjectShape | undefined, around: (row: Json) => unknown): Json {
  const shown = Object.entries(sent).filter(([field]) => {
    const schema = row?.properties.get(field);
    return schema !== undefined && schema.writeOnly !== true;
  });
  if (shown.length === 0) return {};
  return {
    bodyIncludes: around(
      Object.fromEntries(
        shown.map(([field, value]) => [field, typeof value === 'string' ? literalText(value) : value]),
      ),
    ),
  };
}

function inField(field: string | undefined, value: unknown): unknown {
  return field === undefined ? value : { [field]: value };
}

function step(field: string): string {
  return /^[A-Za-z_]\w*$/.test(field) ? `.${field}` : `['${field.replaceAll(/['\\]/g, String.raw`\$&`)}']`;
}

function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A request with all required values; undefined if a value cannot be generated. */
function requestOf(endpoint: ApiEndpoint, known: Readonly<Record<string, unknown>> = {}): Json | undefined {
  const { method, path, parameters } = endpoint;
  const required = parameters.filter((one) => one.required && one.in !== 'path');
  const inPath = [...path.matchAll(/\{([^{}]+)\}/g)].map(([written, name = '']): [string, unknown] => [
    written,
    known[name] ?? pathValue(endpoint, name),
  ]);
  const target = inPath.reduce(
    (text, [written, value]) => text.replace(written, () => inTarget(value)),
    encodedPath(path),
  );
  const query = required
    .filter((one) => one.in === 'query')
    .map((one): [string, unknown] => [one.name, example(one)]);
  const header = required
    .filter((one) => one.in === 'header')
    .map((one): [string, unknown] => [one.name, example(one)]);
  if ([...inPath, ...query, ...header].some(([, value]) => !isPlain(value) || value === '')) return undefined;
  if (hasKept([path, query, header])) return undefined;
  if (required.some((one) => one.in === 'cookie')) return undefined;
  return {
    request: `${method} ${target}`,
    ...(query.length === 0 ? {} : { query: Object.fromEntries(query) }),
    ...(header.length === 0 ? {} : { header: Object.fromEntries(header) }),
  };
}

/** Values for path parameters that are strings in the description, but are compared with a column of another type. */
function columnValues({ endpoint, item, owners }: EndpointWithTable): Json {
  const others = [...owners, ...(item === undefined ? [] : [item])].flatMap(({ param, column }) => {
    const value = exampleValue(column.schema);
    return typeof pathValue(endpoint, param) === 'string' && typeof value === 'number'
      ? [[param, value]]
      : [];
  });
  return Object.fromEntries(others) as Json;
}

function pathValue({ parameters }: ApiEndpoint, name: string): unknown {
  const parameter = parameters.find((one) => one.in === 'path' && one.name === name);
  return parameter === undefined ? 'text' : example(parameter);
}

function example({ schema }: ApiParameter): unknown {
  return schema === undefined ? 'text' : exampleValue(schema);
}

/** Whether a string from the description would be read as a reference to a value of an earlier step. */
function hasKept(value: unknown): boolean {
  return JSON.stringify(value).includes(':[');
}

/** A value in a path; `:[name]` refers to a value of an earlier step. */
function inTarget(value: unknown): string {
  return value === ':[key]' ? value : template.urlPart(String(value));
}

function isPlain(value: unknown): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
