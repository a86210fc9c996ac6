/** Rows of tables, before and after a test. */
import { databaseNames } from '../../../analyze/operations/statements/databases.js';
import { isEmpty, type Entry, type ListNode, type MapNode } from '../../../read/config/yaml/node.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { TableRows } from './test-model.js';
import type { TestScope } from './test-scope.js';

/** Tables with their rows; with several databases grouped by name; after a test also queries with their rows. Errors are reported. */
export function readRows(map: MapNode | undefined, mayBeQuery: boolean, scope: TestScope): TableRows[] {
  const groups = databaseNames(scope.config.datasources);
  const databases = groups.flat();
  return (map?.entries ?? []).flatMap((entry): TableRows[] => {
    const { key, value } = entry;
    const name = key.text.value;
    if (value.kind === 'map' && databases.includes(name))
      return value.entries.flatMap((inner) => readTable(inner, name, mayBeQuery, scope));
    const only = groups.length === 1 ? databases[0] : undefined;
    // With a single database, a map that contains lists is meant for another database; otherwise it is a row.
    const isRow = value.kind === 'map' && !value.entries.every((inner) => inner.value.kind === 'list');
    if (value.kind === 'map' && (only === undefined || !isRow)) {
      scope.report.add('test-datasource', key.span, {
        name,
        nearest: nearest(name, databases),
        known: databases,
        expected: 'db',
        isOther: scope.config.datasources.some((datasource) => datasource.name.value === name),
      });
      return [];
    }
    if (only !== undefined) return readTable(entry, only, mayBeQuery, scope);
    scope.report.add('test-value', key.span, {
      problem:
        databases.length === 0
          ? 'The configuration has no database.'
          : `There are several databases, so it is unknown which one has '${name}'.`,
      hint:
        databases.length === 0
          ? 'Only databases have rows.'
          : `Write the tables below the datasource: ${databases[0] ?? ''}: { ${name}: [...] }`,
    });
    return [];
  });
}

function readTable(
  { key, value }: Entry,
  datasource: string,
  mayBeQuery: boolean,
  { report }: TestScope,
): TableRows[] {
  const table = key.text.value;
  const isQuery = /^\s*(?:SELECT|WITH)\s/i.test(table);
  if (isQuery && !mayBeQuery) {
    report.add('test-value', key.span, {
      problem: `'${key.text.value}' is not the name of a table.`,
      hint: 'Write the name of a table, for example news: [{ id: 1 }]',
    });
    return [];
  }
  const list: ListNode =
    value.kind === 'list' ? value : { kind: 'list', items: isEmpty(value) ? [] : [value], span: value.span };
  const rows = list.items.flatMap((item) => (item.kind === 'map' && value.kind === 'list' ? [item] : []));
  if (rows.length < list.items.length) {
    report.add('wrong-kind', value.span, {
      what: `'${table}'`,
      expected: 'a list of rows, each a map of columns',
      example: `${isQuery ? "'SELECT count(*) AS n FROM news'" : table}: [{ ${isQuery ? 'n: 3' : 'id: 1'} }]`,
    });
    return [];
  }
  return [{ datasource, table: { value: table, span: key.span }, isQuery, rows, node: list }];
}
