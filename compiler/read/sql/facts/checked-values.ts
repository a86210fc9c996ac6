/**
 * The strings allowed by a CHECK constraint, whose condition is in the server's form: `state = ANY (ARRAY['open'::text, 'paid'::text])`,
 * `state in ('open','paid')`.
 */
import type { Dialect } from '../dialect.js';
import { parseText } from '../parse/parse-text.js';
import { clauseOf, descendants, unwrapped, type SqlNode, type SqlTree } from '../parse/tree.js';
import { lastPart } from './server-names.js';

/** Allowed strings by lower-case column name; the column of a domain's CHECK is named `value`. */
type Allowed = ReadonlyMap<string, ReadonlySet<string>>;

/** The columns that a CHECK condition restricts to a few strings (or null). */
export function checkedValues(condition: string, dialect: Dialect): Allowed {
  const tree = parseText(`SELECT ${condition}`, dialect);
  const [column] = clauseOf(tree.main, 'SELECT')?.children ?? [];
  const found = column?.kind === 'column' ? allowedBy(column.value, tree) : new Map<string, Set<string>>();
  return new Map([...found].filter(([, values]) => values.size > 0));
}

/** Whether a column may contain the string: comparisons in MySQL and MariaDB usually ignore letter case and trailing spaces. */
export function isAllowed(text: string, values: Iterable<string>, dialect: Dialect): boolean {
  const all = [...values];
  if (dialect === 'postgresql') return all.includes(text);
  const isPlain = (one: string): boolean => /^[ -~]*$/.test(one);
  const folded = text.trimEnd().toLowerCase();
  return !isPlain(text) || all.some((one) => !isPlain(one) || one.trimEnd().toLowerCase() === folded);
}

function allowedBy(node: SqlNode, tree: SqlTree): Allowed {
  const condition = unwrapped(node);
  if (condition.kind !== 'operation') return new Map();
  const { operator, operands } = condition;
  const [left, right] = operands;
  switch (operator) {
    case 'AND':
      return operands.map((one) => allowedBy(one, tree)).reduce(both, new Map());
    case 'OR':
      return operands.map((one) => allowedBy(one, tree)).reduce(eitherOf);
    case 'IS NULL':
      return allowed(columnIn(left, tree), []);
    case '=':
      return allowed(columnIn(left, tree), stringsIn(right, tree));
    case 'IN':
      return allowed(columnIn(left, tree), stringsIn(right, tree));
    default:
      return new Map();
  }
}

function allowed(column: string | undefined, values: readonly string[] | undefined): Allowed {
  return column === undefined || values === undefined ? new Map() : new Map([[column, new Set(values)]]);
}

/** Combines two conditions joined by AND: the values allowed by both conditions. */
function both(one: Allowed, other: Allowed): Allowed {
  const found = new Map(one);
  for (const [column, values] of other) {
    const known = one.get(column);
    found.set(
      column,
      known === undefined ? values : new Set([...known].filter((value) => values.has(value))),
    );
  }
  return found;
}

/** Combines two conditions joined by OR: the values allowed by at least one condition. A column restricted by only one is unrestricted. */
function eitherOf(one: Allowed, other: Allowed): Allowed {
  return new Map(
    [...one].flatMap(([column, values]) => {
      const more = other.get(column);
      return more === undefined ? [] : [[column, new Set([...values, ...more])] as const];
    }),
  );
}

function columnIn(node: SqlNode | undefined, tree: SqlTree): string | undefined {
  const value = node && withoutCasts(node);
  return value?.kind === 'name' ? lastPart(tree, value) : undefined;
}

function withoutCasts(node: SqlNode): SqlNode {
  const value = unwrapped(node);
  return value.kind === 'cast' ? withoutCasts(value.value) : value;
}

/** Node kinds that can wrap the strings of a list: `ANY ((ARRAY['a'::character varying])::text[])`, `(_utf8mb4'a')`. */
const around = new Set<SqlNode['kind']>(['parentheses', 'array', 'cast', 'typed', 'type', 'call', 'name']);

/** The strings in the node; undefined if the node contains anything else. */
function stringsIn(node: SqlNode | undefined, tree: SqlTree): string[] | undefined {
  if (node === undefined) return undefined;
  const nodes = descendants(node);
  const isList = nodes.every(
    (one) =>
      one.kind === 'string' ||
      ((one.kind === 'call' ? lastPart(tree, one.name) === 'any' : around.has(one.kind)) &&
        (one.kind !== 'name' || one.parent?.kind === 'call')),
  );
  if (!isList) return undefined;
  const texts = nodes.flatMap((one) => (one.kind === 'string' ? [stringIn(one, tree)] : []));
  const strings = texts.filter((text) => text !== undefined);
  return strings.length > 0 && strings.length === texts.length ? strings : undefined;
}

/** The content of a string constant; undefined if the string has escapes. */
function stringIn({ first, last }: SqlNode, { items }: SqlTree): string | undefined {
  const [, written] = /^'(.*)'$/s.exec(items[first]?.token.text ?? '') ?? [];
  if (written === undefined || first !== last || written.includes('\\')) return undefined;
  return written.replaceAll("''", "'");
}
