/** Fulfillments of both syntaxes (specification, Fulfillment, Exception, Loop, Reference call). */
import type { Report } from '../diagnostics/report.js';
import { nearest } from '../diagnostics/suggest.js';
import type { Expression, Syntax } from '../expression/ast.js';
import { parseExpression, parseTemplate } from '../expression/parse.js';
import type { Located } from '../source.js';
import { Fields } from './fields.js';
import type { Datasource, Exception, Fulfillment, Schema } from './model.js';
import { entryOf, type MapNode, type Node } from './node.js';
import { readInstruction } from './read-instruction.js';
import { readSchema } from './read-schema.js';

export interface FulfillmentContext {
  readonly syntax: Syntax;
  readonly datasources: ReadonlyMap<string, Datasource>;
  readonly report: Report;
}

const common = ['name', 'type', 'if', 'exceptions'];
const fieldsOf = {
  A: {
    READ: [...common, 'datasource', 'instructions', 'loopbreak', 'index'],
    UPDATE: [...common, 'datasource', 'instructions', 'loopbreak', 'index'],
    LOOP: [...common, 'loop', 'fulfillments', 'loopbreak', 'index', 'concurrency'],
    REFERENCE: [...common, 'operationName', 'parameters', 'loopbreak', 'index'],
  },
  B: {
    READ: [...common, 'datasource', 'queries', 'join'],
    UPDATE: [...common, 'datasource', 'queries', 'join'],
  },
};

/** The fulfillments of a list; those that cannot be read at all are left out. */
export function readFulfillments(maps: readonly MapNode[], context: FulfillmentContext): Fulfillment[] {
  return maps.flatMap((map) => readFulfillment(map, context) ?? []);
}

function readFulfillment(map: MapNode, context: FulfillmentContext): Fulfillment | undefined {
  const { syntax, report } = context;
  const name = entryOf(map, 'name')?.value;
  const resource =
    name?.kind === 'scalar' && name.text.value !== '' ? `Fulfillment '${name.text.value}'` : 'A fulfillment';
  const known: Readonly<Record<string, readonly string[]>> = fieldsOf[syntax];
  const written = entryOf(map, 'type')?.value;
  const type = written?.kind === 'scalar' ? written.text.value.toUpperCase() : '';
  const all = [...new Set(Object.values(known).flat())];
  const fields = new Fields(resource, map, all, report);
  fields.require('name', 'type');
  const types =
    syntax === 'A' ? (['READ', 'UPDATE', 'LOOP', 'reference'] as const) : (['READ', 'UPDATE'] as const);
  const kind = fields.word('type', types)?.value;
  const located = fields.located('name');
  rejectForeignFields(fields, type, known);
  const base = {
    name: located ?? { value: '', place: fields.headPlace },
    if: fields.expression('if', syntax),
    exceptions: fields
      .maps('exceptions', 'an exception')
      .map((exception) => readException(exception, context)),
    loopbreak: readConditions(fields.node('loopbreak'), 'loopbreak', context),
    index: fields.expression('index', syntax),
    fields: fields.places,
  };
  switch (kind) {
    case 'READ':
    case 'UPDATE':
      return { ...base, type: kind, ...readData(fields, kind, context) };
    case 'LOOP':
      fields.require('loop', 'fulfillments');
      return {
        ...base,
        type: 'LOOP',
        loop: fields.expression('loop', syntax),
        fulfillments: readFulfillments(fields.maps('fulfillments', 'a fulfillment'), context),
        concurrency: fields.integer('concurrency', 1, 1000)?.value ?? 1,
      };
    case 'reference':
      fields.require('operationName');
      return {
        ...base,
        type: 'REFERENCE',
        operationName: fields.located('operationName') ?? { value: '', place: fields.headPlace },
        parameters: readParameters(fields.mapping('parameters'), syntax, report),
      };
    case undefined:
      return undefined;
  }
}

/** A field that there is, but not on a fulfillment of this type. */
function rejectForeignFields(
  fields: Fields,
  type: string,
  known: Readonly<Record<string, readonly string[]>>,
): void {
  const own = known[type];
  if (own === undefined) return;
  for (const [field, place] of fields.places) {
    if (own.includes(field)) continue;
    fields.report.add('field-of-other-type', place, { resource: fields.resource, field, type, fields: own });
  }
}

function readData(
  fields: Fields,
  use: 'READ' | 'UPDATE',
  { syntax, datasources, report }: FulfillmentContext,
): Pick<Extract<Fulfillment, { type: 'READ' | 'UPDATE' }>, 'datasource' | 'instructions' | 'join'> {
  const list = syntax === 'A' ? 'instructions' : 'queries';
  fields.require('datasource', list);
  const name = fields.located('datasource');
  const datasource = name && datasources.get(name.value);
  if (name !== undefined && datasource === undefined) {
    report.add('unknown-datasource', name.place, {
      name: name.value,
      nearest: nearest(name.value, datasources.keys()),
    });
  }
  const maps = fields.maps(list, syntax === 'A' ? 'an instruction' : 'a query');
  const items = fields.list(list)?.items;
  if (items?.length === 0)
    report.add('empty-field', fields.places.get(list) ?? fields.headPlace, {
      resource: fields.resource,
      field: list,
    });
  return {
    datasource: name ?? { value: '', place: fields.headPlace },
    instructions: maps.map((map) => readInstruction(map, { syntax, use, datasource, report })),
    join: readConditions(fields.node('join'), 'join', { syntax, datasources, report }).map((value) => ({
      value,
      place: value.place,
    })),
  };
}

/** One condition, or a list of them. */
function readConditions(
  node: Node | undefined,
  field: string,
  { syntax, report }: FulfillmentContext,
): Expression[] {
  const items = node === undefined ? [] : node.kind === 'list' ? node.items : [node];
  return items.flatMap((item) => {
    if (item.kind === 'scalar') return parseExpression(item.text, syntax, report) ?? [];
    report.add('wrong-kind', item.place, {
      what: `'${field}'`,
      expected: 'a condition, or a list of conditions',
    });
    return [];
  });
}

function readException(map: MapNode, { syntax, report }: FulfillmentContext): Exception {
  const fields = new Fields('An exception', map, ['if', 'statuscode', 'message'], report);
  fields.require('if', 'statuscode', 'message');
  const message = fields.text('message');
  return {
    if: fields.expression('if', syntax),
    statuscode: fields.integer('statuscode', 200, 599)?.value ?? 500,
    message: message === undefined ? [] : parseTemplate(message, syntax, report),
    place: fields.headPlace,
  };
}

function readParameters(
  map: MapNode | undefined,
  syntax: Syntax,
  report: Report,
): { name: Located<string>; value: Schema }[] {
  return (map?.entries ?? []).flatMap(({ key, value }) => {
    const schema = readSchema(value, syntax, report);
    return schema === undefined ? [] : [{ name: { value: key.text.value, place: key.place }, value: schema }];
  });
}
