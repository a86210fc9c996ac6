/** The columns that a filter compares, and the types of their values (docs/design/lists.md#lst-4). */
import type { FilterColumn, FilterOperator, FilterType } from '../../../../runtime/lists/filter-types.js';
import type { FilterName, ListFilter } from '../../../read/config/config-model.js';
import type { DescribedColumn, Description } from '../../../read/sql/statement-description.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import { listColumn } from './list-columns.js';

/** The names of a filter with their columns, for the service. */
export function filteredColumns(
  { allow }: ListFilter,
  statement: SqlStatement,
  description: Description | undefined,
): readonly (FilterColumn & { readonly name: string })[] {
  return allow.map((one) => {
    const found = listColumn(one.column, statement, description);
    if ('names' in found) throw new Error(`Nothing was reported of the missing column '${one.column.name}'.`);
    const type = one.type ?? typeOfColumn(found.described, statement)?.type;
    if (type === undefined) throw new Error(`Nothing was reported of the type of '${one.column.name}'.`);
    return {
      name: one.name.value,
      column: found.name,
      type,
      operators: one.operators,
      ...(one.isPlain ? { plain: true as const } : {}),
      ...(one.separator === undefined ? {} : { separator: one.separator }),
      ...(found.described?.type.labels === undefined ? {} : { labels: found.described.type.labels }),
    };
  });
}

/** The type of a column's values. `isEnum`: one of a few labels, which have no order and no parts. */
export interface ComparedType {
  readonly type: FilterType;
  readonly isEnum: boolean;
}

const types: ReadonlyMap<string, FilterType> = new Map([
  ...named('integer', 'int2 int4 int8 oid smallint mediumint int integer year tinyint bigint'),
  ...named(
    'integer',
    'smallint unsigned,mediumint unsigned,int unsigned,tinyint unsigned,bigint unsigned',
    ',',
  ),
  ...named('number', 'numeric decimal float4 float8 float double'),
  ...named('boolean', 'bool boolean tinyint(1) bit(1)'),
  ...named('string', 'text varchar bpchar char name citext tinytext mediumtext longtext'),
  ...named('date', 'date'),
  ...named('timestamp', 'timestamp timestamptz datetime'),
  ...named('uuid', 'uuid'),
]);

function named(type: FilterType, names: string, separator = ' '): [string, FilterType][] {
  return names.split(separator).map((name) => [name, type]);
}

/** Undefined if no database was asked, or if its type cannot be filtered. */
export function typeOfColumn(
  described: DescribedColumn | undefined,
  { dialect, truths }: SqlStatement,
): ComparedType | undefined {
  if (described === undefined) return undefined;
  const { name, type } = described;
  if (type.element !== undefined) return undefined;
  if (type.labels !== undefined) return { type: 'string', isEnum: true };
  if (dialect === 'mysql' && truths.includes(name)) return { type: 'boolean', isEnum: false };
  const found = types.get(type.name);
  return found && { type: found, isEnum: false };
}

const ofEquality: readonly FilterOperator[] = ['eq', 'ne', 'in', 'null'];
const ofOrder: readonly FilterOperator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'null'];
const ofStrings: readonly FilterOperator[] = [...ofOrder, 'contains', 'startsWith'];

/** The operators that values of the type have. */
export function operatorsOf({ type, isEnum }: ComparedType): readonly FilterOperator[] {
  if (isEnum || type === 'boolean' || type === 'uuid') return ofEquality;
  return type === 'string' ? ofStrings : ofOrder;
}

/** The type of the values that requests send for a name. */
export function typeOfFilter(
  { type, column }: Pick<FilterName, 'type' | 'column'>,
  statement: SqlStatement,
  description: Description | undefined,
): ComparedType | undefined {
  const found = listColumn(column, statement, description);
  const known = 'names' in found ? undefined : typeOfColumn(found.described, statement);
  if (type === undefined) return known;
  return { type, isEnum: known?.isEnum === true };
}
