/** Casts for the parameters whose type PostgreSQL cannot determine by itself ("could not determine data type", 42P18). */
import { isInsertList, isListed } from '../facts/listed.js';
import type { ValueKind } from '../facts/value-kind.js';
import { wordSet } from '../../wordset.js';
import { wrapped, type Call, type Placeholder, type SqlNode, type SqlTree } from '../parse/tree.js';

/** Built-in functions that accept arguments of any type, and so do not determine the type of a bare parameter. */
const takesAnyType = wordSet(`
  CONCAT CONCAT_WS FORMAT NUM_NULLS NUM_NONNULLS JSON_BUILD_OBJECT JSON_BUILD_ARRAY JSONB_BUILD_OBJECT
  JSONB_BUILD_ARRAY TO_JSON TO_JSONB JSON_AGG JSONB_AGG JSON_OBJECT_AGG JSONB_OBJECT_AGG ARRAY_AGG
  COUNT PG_TYPEOF PG_COLUMN_SIZE ROW_TO_JSON
`);

/** The functions among them that convert their arguments (or alternating names and values) to JSON. */
const makesJson = wordSet(`
  TO_JSON TO_JSONB JSON_AGG JSONB_AGG JSON_BUILD_ARRAY JSONB_BUILD_ARRAY JSON_BUILD_OBJECT JSONB_BUILD_OBJECT JSON_OBJECT_AGG
  JSONB_OBJECT_AGG ROW_TO_JSON
`);

/** The type to cast the placeholder to; undefined if the server can determine the type, or if there is already a cast. */
export function castFor(
  placeholder: Placeholder,
  tree: SqlTree,
  kind: ValueKind | undefined,
): string | undefined {
  const node = wrapped(placeholder);
  if (isNullTest(node, tree)) return typeOf(kind);
  if (!isArgumentOfAnyType(node, tree)) return undefined;
  return (kind === undefined ? jsonTypeOf(placeholder, node, tree) : undefined) ?? typeOf(kind);
}

/** The cast for a value that a function converts to JSON: JSON values keep their type; request parameters are strings. */
function jsonTypeOf({ expression }: Placeholder, node: SqlNode, tree: SqlTree): string | undefined {
  const call = node.parent;
  const isJson = expression?.kind !== 'param' && expression?.kind !== 'sent';
  if (!isJson || call?.kind !== 'call') return undefined;
  const name = builtIn(call, tree);
  if (name === 'ROW') return jsonTypeOfRow(call, tree);
  return jsonTypeIn(name, call.arguments.indexOf(node));
}

function jsonTypeOfRow(row: Call, tree: SqlTree): string | undefined {
  const call = row.parent;
  return call?.kind === 'call' ? jsonTypeIn(builtIn(call, tree), call.arguments.indexOf(row)) : undefined;
}

function jsonTypeIn(name: string, argument: number): string | undefined {
  if (!makesJson.has(name) || (name.includes('_OBJECT') && argument % 2 === 0)) return undefined;
  return name.includes('JSONB') ? 'jsonb' : 'json';
}

/** `IS [NOT] NULL`, `ISNULL`, `NOTNULL`, `IS [NOT] DISTINCT FROM NULL`. */
function isNullTest(node: SqlNode, { items }: SqlTree): boolean {
  const { parent } = node;
  if (parent?.kind !== 'operation' || parent.operands[0] !== node) return false;
  if (/^IS (?:NOT )?NULL$/.test(parent.operator)) return true;
  const [, right] = parent.operands;
  return /^IS (?:NOT )?DISTINCT FROM$/.test(parent.operator) && items[right?.first ?? -1]?.word === 'NULL';
}

function isArgumentOfAnyType(node: SqlNode, tree: SqlTree): boolean {
  const call = node.parent;
  if (call?.kind !== 'call') return false;
  const argument = call.arguments.indexOf(node);
  const isPlain = [call.separators[argument], call.separators[argument + 1]].every((one) =>
    /^,?$/.test(one ?? ''),
  );
  if (argument === -1 || !isPlain || call.modifiers.length > 0) return false;
  const name = builtIn(call, tree);
  return name === 'ROW' ? isUntypedRow(call, tree) : takesAnyType.has(name);
}

/** True for a `ROW(…)` that is neither compared nor stored. */
function isUntypedRow(row: Call, tree: SqlTree): boolean {
  return isArgumentOfAnyType(row, tree) || (isListed(row) && !isInsertList(row));
}

/** The upper-case name of a built-in function; empty for others: `app.concat(…)` is a user-defined function. */
export function builtIn({ name: { parts, first, last } }: Call, { items }: SqlTree): string {
  const isOfSystem = parts.length === 1 || (parts.length === 2 && items[first]?.word === 'PG_CATALOG');
  return isOfSystem ? (items[last]?.word ?? '') : '';
}

/** Numbers and booleans keep their type; dates are cast to the strings that are sent. */
function typeOf(kind: ValueKind | undefined): string {
  return kind === undefined || kind === 'date' || kind === 'timestamptz' ? 'text' : kind;
}
