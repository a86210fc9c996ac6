/** Configurations and API descriptions for plain models and joins. */
import type { DescriptionInput } from '../../compiler/read/openapi/documents.js';
import type { PlainJoin, PlainModel } from './nested-loops.js';

/** A join with the fulfillment at which it is written. */
export interface WrittenJoin extends PlainJoin {
  readonly isAtLeft: boolean;
}

/** An operation: its fulfillments, some of which may be skipped, and its joins in written order. */
export interface PlainOperation {
  readonly path: string;
  readonly names: readonly string[];
  readonly skipped?: readonly string[];
  readonly joins: readonly WrittenJoin[];
}

export function textOf({ left, leftField, right, rightField }: PlainJoin): string {
  return `${left}.${leftField} == ${right}.${rightField}`;
}

export function modelsIn(model: PlainModel): PlainModel[] {
  return [model, ...model.inner.flatMap((one) => modelsIn(one.model))];
}

/** The operations have the same response. Each operation is one line of text. */
export function configOf(model: PlainModel, operations: readonly PlainOperation[]): string {
  const mappings = Object.fromEntries(
    modelsIn(model).map(({ name, fields, counts }) => [
      name,
      Object.fromEntries([
        ...fields.map(({ key, of, field }) => [key, `${of}.${field}`]),
        ...counts.map(({ key, of }) => [key, `${of}.size()`]),
      ]) as object,
    ]),
  );
  const lines = operations.map(({ path, names, skipped = [], joins }) => {
    const fulfillments = names.map((name) => ({
      name,
      type: 'READ',
      datasource: 'db',
      ...(skipped.includes(name) ? { if: 'param.skip == null' } : {}),
      queries: [{ query: 'SELECT * FROM t' }],
      join: joins.filter(({ left, right, isAtLeft }) => (isAtLeft ? left : right) === name).map(textOf),
    }));
    const responses = [{ name: 'ok', default: true, statuscode: 200 }];
    return `  "GET ${path}": ${JSON.stringify({ fulfillments, responses, mappings })}`;
  });
  const head = 'specification: "1.0"\noperations:\n';
  const datasources = 'datasources: { db: { type: db, url: "jdbc:postgresql://localhost/db" } }\n';
  return `${head}${lines.join('\n')}\n${datasources}`;
}

export function descriptionOf(
  model: PlainModel,
  isList: boolean,
  paths: readonly string[],
): DescriptionInput {
  const schemas = modelsIn(model).map(({ name, fields, counts, inner }) => {
    const own = [
      ...fields.map(({ key, notNull }): [string, object] => [key, notNull ? { type: 'string' } : {}]),
      ...counts.map(({ key }): [string, object] => [key, {}]),
    ];
    const models = inner.map((one): [string, object] => [one.key, reference(one.model.name, one.isList)]);
    return [name, { type: 'object', properties: Object.fromEntries([...own, ...models]) }];
  });
  const content = { 'application/json': { schema: reference(model.name, isList) } };
  const get = { responses: { 200: { description: 'ok', content } } };
  const description = {
    openapi: '3.1.0',
    info: { title: 'plain', version: '1' },
    paths: Object.fromEntries(paths.map((path) => [path, { get }])),
    components: { schemas: Object.fromEntries(schemas) as object },
  };
  return {
    source: { path: 'openapi.json', text: JSON.stringify(description) },
    read: () => undefined,
  };
}

function reference(name: string, isList: boolean): object {
  const $ref = `#/components/schemas/${name}`;
  return isList ? { type: 'array', items: { $ref } } : { $ref };
}
