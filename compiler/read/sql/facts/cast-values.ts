/** The types that a statement itself shows of its placeholders: casts, and places of lists. */
import type { Expression } from '../../expression/ast.js';
import type { DatabaseType } from '../statement-description.js';
import { unwrapped, wrapped, type Placeholder, type SqlTree } from '../parse/tree.js';

/** A placeholder with an expression, and its place. */
export interface PlacedValue {
  readonly expression: Expression;
  /** The type of its cast; undefined without one, and for a type that is not built in. */
  readonly cast: DatabaseType | undefined;
  /** Whether the place has a list: IN, ANY, or a cast to an array. */
  readonly isList: boolean;
}

export function placedValues(tree: SqlTree): PlacedValue[] {
  return tree.nodes.flatMap((node): PlacedValue[] => {
    if (node.kind !== 'placeholder' || node.expression === undefined) return [];
    const cast = castOf(node);
    return [
      {
        expression: node.expression,
        cast: cast && databaseType(cast.name),
        isList: cast?.isArray === true || isInList(node, tree),
      },
    ];
  });
}

function castOf(value: Placeholder): { readonly name: string; readonly isArray: boolean } | undefined {
  const { parent } = wrapped(value);
  return parent?.kind === 'cast' && unwrapped(parent.value) === value ? parent.type : undefined;
}

/** `IN (:[a])`, `= ANY (:[a])`, also with a cast of the value. */
function isInList(value: Placeholder, { items }: SqlTree): boolean {
  const { parent } = value;
  const listed = parent?.kind === 'cast' ? parent : value;
  const list = listed.parent;
  if (list?.kind === 'call') return /^(?:ANY|SOME|ALL)$/.test(items[list.name.first]?.word ?? '');
  const around = list?.kind === 'parentheses' ? list.parent : undefined;
  return around?.kind === 'operation' && /^(?:NOT )?IN$/.test(around.operator) && around.operands[1] === list;
}

function databaseType(written: string): DatabaseType | undefined {
  const name = names[written];
  return name === undefined ? undefined : { name };
}

/** The names with which servers report the types of casts. */
const names: Readonly<Record<string, string>> = {
  ...{ INT: 'int4', INTEGER: 'int4', INT4: 'int4', SMALLINT: 'int2', INT2: 'int2' },
  ...{ BIGINT: 'int8', INT8: 'int8', SIGNED: 'bigint', 'SIGNED INTEGER': 'bigint' },
  ...{ UNSIGNED: 'bigint unsigned', 'UNSIGNED INTEGER': 'bigint unsigned' },
  ...{ NUMERIC: 'numeric', DECIMAL: 'numeric', REAL: 'float4', FLOAT4: 'float4' },
  ...{ 'DOUBLE PRECISION': 'float8', FLOAT8: 'float8', FLOAT: 'float8', DOUBLE: 'float8' },
  ...{ BOOL: 'bool', BOOLEAN: 'bool', UUID: 'uuid', TEXT: 'text', VARCHAR: 'varchar', CHAR: 'char' },
  ...{ DATE: 'date', TIMESTAMPTZ: 'timestamptz', 'TIMESTAMP WITH TIME ZONE': 'timestamptz' },
};
