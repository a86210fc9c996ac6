/** Errors in control flow and in the use of results: results, loops, indexes, schemas and responses. */
import {
  allFulfillments,
  copyOf,
  instructionsOf,
  left,
  operationsOf,
  type Config,
  type Operation,
  type Schema,
} from './configuration.js';
import {
  fulfillmentsOf,
  isOfDatabase,
  isRead,
  isUpdate,
  matches,
  type Edit,
  type ErrorClass,
} from './edit.js';
import { stock } from './own.js';

/** Each operation with the name of its first fulfillment accepted by the test. */
function databaseReads(config: Config): { operation: Operation; name: string }[] {
  return operationsOf(config).flatMap(({ operation }) =>
    operation.fulfillments
      .filter((one) => isRead(one) && isOfDatabase(config, one))
      .map(({ name }) => ({ operation, name })),
  );
}

/** Replaces the expression of each `loop` over a result. */
function loops(config: Config, write: (inside: string) => string): Edit[] {
  return fulfillmentsOf(config, ({ fulfillment }) => /^VALUE\(\w+, \$\)$/.test(fulfillment.loop ?? '')).map(
    ({ fulfillment }) =>
      () => {
        fulfillment.loop = write(fulfillment.loop ?? '');
      },
  );
}

interface ListMap {
  readonly map: Record<string, Schema>;
  readonly list: string;
  readonly operation: Operation;
}

/** Every map with `list` and `item` over a whole result, in responses in Syntax A. */
function listsOf(config: Config): ListMap[] {
  return operationsOf(config).flatMap(({ operation }) =>
    (operation.responses ?? []).flatMap(({ schema }) =>
      mapsIn(schema).map((found) => ({ ...found, operation })),
    ),
  );
}

function mapsIn(schema: Schema | undefined): Omit<ListMap, 'operation'>[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  const map = schema as Record<string, Schema>;
  const list = map['list'];
  const isList = typeof list === 'string' && /^VALUE\(\w+, \$\)$/.test(list) && 'item' in map;
  return [...(isList ? [{ map, list }] : []), ...Object.values(map).flatMap(mapsIn)];
}

function rename(map: Record<string, Schema>, from: string, to: string): void {
  for (const [key, value] of Object.entries(map)) {
    Reflect.deleteProperty(map, key);
    map[key === from ? to : key] = value;
  }
}

/** Each leaf of a schema, as a map and a key. */
function leavesOf(schema: Schema | undefined): { map: Record<string, Schema>; key: string }[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  const map = schema as Record<string, Schema>;
  return Object.entries(map).flatMap(([key, value]) =>
    typeof value === 'string' ? (key === 'list' ? [] : [{ map, key }]) : leavesOf(value),
  );
}

export const flowClasses: readonly ErrorClass[] = [
  {
    name: 'result that nobody reads',
    edits: (config) =>
      databaseReads(config).map(({ operation, name }) => () => {
        const at = operation.fulfillments.findIndex((one) => one.name === name);
        const own = operation.fulfillments[at];
        const { datasource = '', queries } = own ?? {};
        const instruction = [{ query: 'SELECT id, title FROM extra_table ORDER BY id' }];
        operation.fulfillments.splice(at, 0, {
          ...{ name: 'nobodyReadsIt', type: 'READ', datasource },
          ...(queries === undefined ? { instructions: instruction } : { queries: instruction }),
        });
      }),
  },
  {
    name: 'unreachable instruction: the first one without if',
    edits: (config) =>
      fulfillmentsOf(config, ({ fulfillment }) => instructionsOf(fulfillment).length > 1).map(
        ({ fulfillment }) =>
          () => {
            const [first] = instructionsOf(fulfillment);
            if (first !== undefined) Reflect.deleteProperty(first, 'if');
          },
      ),
  },
  {
    name: 'LOOP read outside: VALUE(each, $.id)',
    edits: (config) =>
      operationsOf(config).flatMap(({ operation }) =>
        operation.fulfillments
          .filter(({ type }) => type.toUpperCase() === 'LOOP')
          .flatMap(({ name }) =>
            (operation.responses ?? []).map((response) => () => {
              response.statuscode = 200;
              response.schema = { rest: response.schema ?? 'TEXT(a)', outside: `VALUE(${name}, $.id)` };
            }),
          ),
      ),
  },
  { name: 'loop over a text', edits: (config) => loops(config, () => 'TEXT(rows)') },
  { name: 'loop over SIZE', edits: (config) => loops(config, (inside) => `SIZE(${inside})`) },
  { name: 'loop over LIST(0)', edits: (config) => loops(config, () => 'LIST(0)') },
  {
    name: 'list: SIZE(…)',
    edits: (config) =>
      listsOf(config).map(({ map, list }) => () => {
        map['list'] = `SIZE(${list})`;
      }),
  },
  {
    name: 'list: VALUE(rows, $[0])',
    edits: (config) =>
      listsOf(config)
        .filter(({ map, list, operation }) => isOfRows(config, operation, list) && hasFields(map['item']))
        .map(({ map, list }) => () => {
          map['list'] = list.replace('$', '$[0]');
        }),
  },
  {
    name: 'constant index',
    edits: (config) =>
      fulfillmentsOf(config, ({ operation, fulfillment: { index, name } }) => {
        const read = JSON.stringify(operation).match(new RegExp(`VALUE_BY_INDEX\\(${name}, VALUE`, 'g'));
        return index !== undefined && read !== null;
      }).map(({ fulfillment }) => () => {
        fulfillment.index = 'TEXT(fixed)';
      }),
  },
  {
    name: 'index that nobody reads',
    edits: (config) =>
      fulfillmentsOf(config, ({ fulfillment: { index } }) => index !== undefined).flatMap(
        ({ operation, fulfillment }) => {
          const isElsewhere =
            allFulfillments(operation.fulfillments).filter(({ name }) => name === fulfillment.name).length >
            1;
          const read = new RegExp(`VALUE_BY_INDEX\\(${fulfillment.name}\\b(?:[^()]|\\([^()]*\\))*\\)`, 'g');
          if (isElsewhere || !read.test(JSON.stringify(operation.responses ?? []))) return [];
          return () => {
            operation.responses = JSON.parse(
              JSON.stringify(operation.responses).replace(read, 'NULL()'),
            ) as Operation['responses'] & object;
          };
        },
      ),
  },
  {
    name: 'N+1: a READ with if in a LOOP over rows',
    own: stock,
    edits: (config) =>
      fulfillmentsOf(config, ({ fulfillment }) => fulfillment.index !== undefined).map(
        ({ fulfillment }) =>
          () => {
            fulfillment.if = 'VALUE(each, $.title) != NULL()';
            Reflect.deleteProperty(fulfillment, 'loopbreak');
          },
      ),
  },
  {
    name: 'exception with status 200',
    edits: (config) =>
      fulfillmentsOf(config, ({ fulfillment }) => (fulfillment.exceptions ?? []).length > 0).flatMap(
        ({ fulfillment }) =>
          (fulfillment.exceptions ?? []).map((exception) => () => {
            exception.statuscode = 200;
          }),
      ),
  },
  {
    name: 'default response 404',
    edits: (config) =>
      operationsOf(config).flatMap(({ operation: { responses = [] } }) =>
        responses.length !== 1
          ? []
          : responses.map((response) => () => {
              response.statuscode = 404;
            }),
      ),
  },
  {
    name: 'empty message',
    edits: (config) => matches(config, ['message'], /^[^]*$/g, () => ''),
  },
  {
    name: 'lis: or itme: for list and item',
    edits: (config) =>
      listsOf(config).flatMap(({ map }) => [
        () => {
          rename(map, 'list', 'lis');
        },
        () => {
          rename(map, 'item', 'itme');
        },
        () => {
          rename(map, 'item', 'itme');
          map['itme'] = { fixed: 'TEXT(a)' };
        },
      ]),
  },
  {
    name: 'a third key in addition to list and item',
    edits: (config) =>
      listsOf(config)
        .filter(({ map }) => JSON.stringify(map['item']).includes('VALUE(@'))
        .map(({ map }) => () => {
          map['count'] = 'INTEGER(7)';
        }),
  },
  {
    name: 'schema leaf left empty (title:)',
    edits: (config) =>
      operationsOf(config).flatMap(({ operation: { responses = [] } }) =>
        responses.flatMap(({ schema }) =>
          leavesOf(schema).map(({ map, key }) => () => {
            map[key] = left.empty;
          }),
        ),
      ),
  },
  {
    name: '{BODY()} without quotes',
    edits: (config) =>
      operationsOf(config).flatMap(({ operation: { responses = [] } }) =>
        responses.flatMap(({ schema }) =>
          leavesOf(schema).map(({ map, key }) => () => {
            map[key] = left.inBraces;
          }),
        ),
      ),
  },
];

/** Whether the expression is the whole result of a database READ that runs once. */
function isOfRows(config: Config, operation: Operation, expression: string): boolean {
  const name = /^VALUE\((\w+), \$\)$/.exec(expression)?.[1];
  return operation.fulfillments.some(
    (one) => one.name === name && (isRead(one) || isUpdate(one)) && isOfDatabase(config, one),
  );
}

/** Whether an item reads fields of its element other than `key` and `val`. */
function hasFields(item: Schema | undefined): boolean {
  return /VALUE\(@, \$\.(?!key\b|val\b)\w/.test(JSON.stringify(copyOf(item ?? null)));
}
