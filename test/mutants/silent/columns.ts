/** Unresolved names: columns, parameters and body fields. */
import {
  allFulfillments,
  instructionsOf,
  isEndpoint,
  isSyntaxB,
  operationsOf,
  textsOf,
  type Config,
  type Operation,
  type Schema,
} from './configuration.js';
import { matches, misspelt, type Edit, type ErrorClass } from './edit.js';
import { declared, orders, stock } from './own.js';

/** The columns of an operation's READs with explicit SELECT lists, by the name of the fulfillment. */
function columnsOf({ fulfillments }: Operation): Map<string, string[]> {
  const all = allFulfillments(fulfillments);
  const found = new Map<string, string[]>();
  for (const fulfillment of all) {
    const { name, type } = fulfillment;
    if (type.toUpperCase() !== 'READ' || all.filter((other) => other.name === name).length > 1) continue;
    const lists = instructionsOf(fulfillment).map(({ query }) => listOf(query ?? ''));
    if (lists.length > 0 && lists.every((list) => list !== undefined)) found.set(name, lists.flat());
  }
  return found;
}

/** The column names of a SELECT list; undefined if a name cannot be determined. */
function listOf(sql: string): string[] | undefined {
  const list = /^\s*SELECT\s+(?:DISTINCT\s+)?([\w\s,.()*:"]*?)\s+FROM\s/i.exec(sql)?.[1];
  const names = list
    ?.split(/,(?![^(]*\))/)
    .map((item) => /(?:\bAS\s+|^\s*(?:\w+\.)?)([a-z_]\w*)\s*$/i.exec(item)?.[1]);
  return names?.every((name) => name !== undefined) === true ? names : undefined;
}

function misspeltColumns(config: Config, isB: boolean): Edit[] {
  const pattern = isB ? /\b(\w+)(?:\[\d+\])?\.(\w+)\b(?!\()/g : /VALUE\((\w+), \$(?:\[\d+\])?\.(\w+)/g;
  const kinds = ['sql', 'condition', 'message', 'expression'] as const;
  return matches(config, kinds, pattern, (match, text) => {
    const [whole, name = '', column = ''] = match;
    // In SQL, a name with a dot is a column of a table, except in a placeholder. Joins are covered by another class.
    const isInside = text.kind !== 'sql' && text.kind !== 'message';
    const before = text.value.slice(0, match.index);
    const isPlaceholder = before.lastIndexOf(':[') > before.lastIndexOf(']');
    if (text.isB !== isB || (isB && !isInside && !isPlaceholder)) return undefined;
    if (isB && /^\w+\.\w+ == \w+\.\w+$/.test(text.value) && text.kind === 'expression') return undefined;
    const columns = columnsOf(text.operation).get(name);
    if (columns?.includes(column) !== true) return undefined;
    return whole.slice(0, whole.length - column.length) + misspelt(column, columns);
  });
}

function misspeltElements(config: Config): Edit[] {
  return operationsOf(config).flatMap(({ operation }) => {
    const columns = columnsOf(operation);
    return (operation.responses ?? []).flatMap(({ schema }) =>
      isSyntaxB(operation) ? [] : elementsIn(schema, columns),
    );
  });
}

/** Edits of the fields of `@` in lists of a result's rows. */
function elementsIn(schema: Schema | undefined, columns: ReadonlyMap<string, string[]>): Edit[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  const map = schema as Record<string, Schema>;
  const list = /^VALUE\((\w+), \$\)$/.exec(typeof map['list'] === 'string' ? map['list'] : '')?.[1];
  const names = columns.get(list ?? '');
  const item = map['item'];
  const own =
    names === undefined || typeof item !== 'object' || item === null
      ? []
      : Object.entries(item as Record<string, Schema>).flatMap(([key, value]) => {
          const column = /^VALUE\(@, \$\.(\w+)\)$/.exec(typeof value === 'string' ? value : '')?.[1];
          if (column === undefined || !names.includes(column)) return [];
          return () => {
            (item as Record<string, Schema>)[key] = `VALUE(@, $.${misspelt(column, names)})`;
          };
        });
  return [...own, ...Object.values(map).flatMap((inside) => elementsIn(inside, columns))];
}

function misspeltJoins(config: Config): Edit[] {
  return matches(config, ['expression'], /^(\w+)\.(\w+) == (\w+)\.(\w+)$/g, (match, text) => {
    const [, left = '', leftColumn = '', right = '', rightColumn = ''] = match;
    const columns = columnsOf(text.operation).get(left);
    if (!text.isB || columns?.includes(leftColumn) !== true) return undefined;
    return `${left}.${misspelt(leftColumn, columns)} == ${right}.${rightColumn}`;
  });
}

export const columnClasses: readonly ErrorClass[] = [
  {
    name: 'misspelt column, the SQL lists its columns (A)',
    edits: (config) => misspeltColumns(config, false),
  },
  { name: 'misspelt column of @ (A)', edits: misspeltElements },
  { name: 'misspelt column (B)', edits: (config) => misspeltColumns(config, true) },
  { name: 'misspelt column of a join (B)', edits: misspeltJoins },
  {
    name: 'PARAM misspelt that the path has',
    edits: (config) =>
      matches(config, ['sql', 'condition', 'expression'], /PARAM\((\w+)\)/g, ([whole, name = ''], text) =>
        isEndpoint(text.operationName) &&
        text.operationName.includes(`{${name}}`) &&
        timesIn(config, text.operation, whole) === 1
          ? `PARAM(${misspelt(name)})`
          : undefined,
      ),
  },
  {
    name: 'path parameter that nothing reads',
    edits: (config) =>
      operationsOf(config).flatMap(({ name }) =>
        /^\w+ \/[^{]*\{(\w+)\}/.test(name) && !isCalled(config, name)
          ? [
              () => {
                const renamed = name.replace(/\{(\w+)\}/, '{$1Xy}');
                config.operations = Object.fromEntries(
                  Object.entries(config.operations).map(([key, value]) => [
                    key === name ? renamed : key,
                    value,
                  ]),
                );
              },
            ]
          : [],
      ),
  },
  {
    name: 'field of BODY that the description does not have',
    own: orders,
    edits: (config) =>
      matches(
        config,
        ['sql', 'expression'],
        /BODY\(\$\.(\w+)\)/g,
        ([, name = '']) => `BODY($.${misspelt(name)})`,
      ),
  },
  {
    name: 'PARAM misspelt, with a description',
    own: orders,
    edits: (config) =>
      matches(
        config,
        ['sql', 'condition'],
        /PARAM\((state|author)\)/g,
        ([, name = '']) => `PARAM(${misspelt(name)})`,
      ),
  },
  {
    name: "field of a called operation's response misspelt",
    own: stock,
    edits: (config) =>
      matches(
        config,
        ['expression'],
        /VALUE\(counted, \$\.(\w+)\)/g,
        ([, name = '']) => `VALUE(counted, $.${misspelt(name)})`,
      ),
  },
  {
    name: 'parameter of a reference call misspelt',
    edits: (config) =>
      operationsOf(config).flatMap(({ operation }) =>
        allFulfillments(operation.fulfillments).flatMap(({ parameters = {}, operationName = '' }) =>
          Object.keys(parameters)
            .filter((name) => name !== 'body' && reads(config, operationName, name))
            .map((name) => () => {
              const value = parameters[name] ?? null;
              Reflect.deleteProperty(parameters, name);
              parameters[misspelt(name)] = value;
            }),
        ),
      ),
  },
  {
    name: 'declared parameter that nothing reads',
    own: declared,
    edits: (config) => matches(config, ['sql'], /:\[PARAM\(\w+\)\]/g, () => '7'),
  },
  {
    name: 'declared body that nothing reads',
    own: declared,
    edits: (config) => matches(config, ['sql'], /:\[BODY\(\$\.\w+\)\]/g, () => '7'),
  },
  {
    name: 'BODY() in a GET',
    edits: (config) =>
      matches(config, ['sql', 'condition'], /PARAM\((\w+)\)/g, ([, name = ''], { operationName }) =>
        /^GET /i.test(operationName) &&
        !operationName.includes(`{${name}}`) &&
        !isCalled(config, operationName)
          ? `BODY($.${name})`
          : undefined,
      ),
  },
];

function isCalled(config: Config, name: string): boolean {
  return operationsOf(config).some(({ operation }) =>
    allFulfillments(operation.fulfillments).some(({ operationName }) => operationName === name),
  );
}

function reads(config: Config, operationName: string, parameter: string): boolean {
  return textsOf(config).some(
    (text) => text.operationName === operationName && text.value.includes(`PARAM(${parameter})`),
  );
}

function timesIn(config: Config, operation: Operation, written: string): number {
  return textsOf(config)
    .filter((text) => text.operation === operation)
    .reduce((sum, { value }) => sum + value.split(written).length - 1, 0);
}
