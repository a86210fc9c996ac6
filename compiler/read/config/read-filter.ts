/** Reads `filter` of a READ: the conditions that a request can choose (docs/design/lists.md#lst-4). */
import { filterOperators, filterTypes } from '../../../runtime/lists/filter-types.js';
import { nearest } from '../diagnostics/suggest.js';
import type { Notation } from '../expression/notation.js';
import type { FilterName, ListFilter, OrderColumn } from './config-model.js';
import { Fields } from './fields.js';
import { fieldTable } from './field-table.js';
import { columnsIn } from './read-list.js';
import { isBroken, type Entry, type Node } from './yaml/node.js';

/** Reads `filter`; undefined if the field is missing. */
export function readFilter(fulfillment: Fields, notation: Notation): ListFilter | undefined {
  const fields = fulfillment.inside('filter', fieldTable.filter, "'filter'");
  if (fields === undefined) return undefined;
  const { report } = fields;
  fields.require(undefined, { from: notation.syntax === 'A' ? undefined : 'query' });
  const allow = fields.mapping('allow');
  if (allow?.entries.length === 0)
    report.add('wrong-kind', allow.span, {
      what: "'allow' of 'filter'",
      expected: 'a map with at least one name',
      example: 'allow: { status: status }',
    });
  return {
    from: fields.expression('from', { ...notation, bareWord: 'query' }),
    allow: (allow?.entries ?? []).flatMap((entry) => readName(entry, fields) ?? []),
    fields: fields.spans,
  };
}

function readName({ key, value }: Entry, owner: Fields): FilterName | undefined {
  const { report } = owner;
  const name = { value: key.text.value, span: key.span };
  if (name.value.trim() === '') report.add('empty-name', key.span, { resource: 'Filter' });
  if (isBroken(value)) return undefined;
  if (value.kind !== 'map') {
    const example = `${name.value}: { column: created, operators: [gte, lt] }`;
    const column = oneColumn(value, `Filter '${name.value}'`, example, owner);
    const plainName = { name, operators: ['eq'] as const, type: undefined, isPlain: false };
    return column && { ...plainName, column, separator: undefined, fields: new Map() };
  }
  const fields = new Fields(`Filter '${name.value}'`, value, fieldTable.filterName, report, undefined, key);
  fields.require();
  const node = fields.node('column');
  const column = node && oneColumn(node, `'column' of filter '${name.value}'`, 'column: created', owner);
  const operators = readOperators(fields);
  const separator = fields.text('separator')?.value;
  if (column === undefined) return undefined;
  return {
    name,
    column,
    operators: operators.length === 0 ? ['eq'] : operators,
    type: fields.word('type', filterTypes)?.value,
    isPlain: fields.boolean('plain') ?? false,
    separator,
    fields: fields.spans,
  };
}

function oneColumn(node: Node, what: string, example: string, owner: Fields): OrderColumn | undefined {
  const [column, ...more] = columnsIn(node, what, example, owner);
  const isDirected = column !== undefined && (column.isDescending || column.nulls !== undefined);
  if (more.length > 0 || isDirected)
    owner.report.add('wrong-kind', node.span, {
      what,
      expected: 'one column of the statement, without a direction',
      example: example.replace(/:.*/, `: ${column?.name ?? 'created'}`),
    });
  return column;
}

/** The operators in the order of the language, without duplicates. */
function readOperators(fields: Fields): readonly FilterName['operators'][number][] {
  const written = fields.names('operators', 'gte', `one of ${filterOperators.join(', ')}`);
  const known = written.flatMap(({ value, span }) => {
    const operator = filterOperators.find((one) => one === value);
    if (operator !== undefined) return [operator];
    fields.report.add('unknown-word', span, {
      ...{ field: 'operators', written: value, words: filterOperators },
      nearest: meantOperator(value),
    });
    return [];
  });
  return filterOperators.filter((operator) => known.includes(operator));
}

const synonyms: Readonly<Record<string, (typeof filterOperators)[number]>> = {
  ...{ '=': 'eq', '==': 'eq', equals: 'eq', is: 'eq', '!=': 'ne', '<>': 'ne', neq: 'ne', not: 'ne' },
  ...{ '>': 'gt', '>=': 'gte', ge: 'gte', min: 'gte', from: 'gte', since: 'gte', after: 'gt' },
  ...{ '<': 'lt', '<=': 'lte', le: 'lte', max: 'lte', to: 'lte', until: 'lt', before: 'lt' },
  ...{ like: 'contains', ilike: 'contains', search: 'contains', prefix: 'startsWith', begins: 'startsWith' },
  ...{ isnull: 'null', empty: 'null', any: 'in', oneof: 'in' },
};

function meantOperator(written: string): string | undefined {
  const wanted = written.toLowerCase().replaceAll(/[\s_-]/g, '');
  if (Object.hasOwn(synonyms, wanted)) return synonyms[wanted];
  return (
    filterOperators.find((operator) => operator.toLowerCase() === wanted) ?? nearest(written, filterOperators)
  );
}
