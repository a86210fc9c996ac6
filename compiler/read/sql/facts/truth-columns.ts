/** Result columns whose expression is certainly a boolean, such as a comparison. MySQL and MariaDB send these as 1 and 0. */
import { wordSet } from '../../wordset.js';
import type { Dialect } from '../dialect.js';
import { clauseOf, unwrapped, type Name, type Query, type SqlNode, type SqlTree } from '../parse/tree.js';
import { calledName, possibleValues } from './mysql-alternatives.js';
import { identifier, plain } from './server-names.js';
import { kindOfExpression } from './value-kind.js';

/** The names of the boolean columns; columns without a name are omitted. */
export function truthColumns(tree: SqlTree, dialect: Dialect): readonly string[] {
  const isQuery = tree.main.verb === 'SELECT';
  const truths = new Truths(tree, dialect);
  const columns = isQuery ? truths.columnsOf(tree.root) : truths.columnsIn(tree.main, 'RETURNING');
  const last = new Map(columns.map(({ name, isTruth }) => [name, isTruth]));
  return [...last].flatMap(([name, isTruth]) => (name !== undefined && isTruth ? [name] : []));
}

interface TruthColumn {
  /** The column name; undefined if the column has no name by which it can be read. */
  readonly name: string | undefined;
  readonly isTruth: boolean;
  /** True for NULL, 1 and 0: they are booleans only when combined with a boolean. */
  readonly isNeutral: boolean;
}

/** Operators whose result is a boolean for any operands: `=`, `IS NULL`, `NOT IN`. */
const operators = wordSet(`
  = <=> < <= > >= <> != AND && OR XOR NOT ! EXISTS ISNULL NOTNULL OVERLAPS
  IN LIKE ILIKE BETWEEN REGEXP RLIKE
`);
const inWords =
  /^(?:IS\b|NOT (?:IN|LIKE|ILIKE|BETWEEN|REGEXP|RLIKE|SIMILAR TO|EXISTS)$|SIMILAR TO$|SOUNDS LIKE$|MEMBER OF$)/;

/** Functions that return 1 or 0 in MySQL and MariaDB. */
const conditions = wordSet(`
  ISNULL REGEXP_LIKE JSON_CONTAINS JSON_CONTAINS_PATH JSON_EXISTS JSON_VALID JSON_OVERLAPS JSON_EQUALS IS_UUID
  IS_IPV4 IS_IPV6 IS_IPV4_COMPAT IS_IPV4_MAPPED IS_FREE_LOCK
  ST_CONTAINS ST_CROSSES ST_DISJOINT ST_EQUALS ST_INTERSECTS ST_OVERLAPS ST_TOUCHES ST_WITHIN ST_ISEMPTY ST_ISSIMPLE ST_ISVALID
  MBRCONTAINS MBRCOVEREDBY MBRCOVERS MBRDISJOINT MBREQUALS MBRINTERSECTS MBROVERLAPS MBRTOUCHES MBRWITHIN
`);
/** Functions that return a value of their first argument. */
const passing = wordSet('NULLIF FIRST_VALUE LAST_VALUE NTH_VALUE LAG LEAD BOOL_AND BOOL_OR EVERY');

class Truths {
  /** Queries in progress: a recursive query reads itself. */
  readonly #open = new Set<Query>();

  constructor(
    private readonly tree: SqlTree,
    private readonly dialect: Dialect,
  ) {}

  /** The columns of a query; for a set operation, the properties shared by the columns of all its parts. */
  columnsOf(query: Query): readonly TruthColumn[] {
    if (this.#open.has(query)) return [];
    this.#open.add(query);
    const [first, ...others] = query.isCombined ? query.parts.map((part) => this.columnsOf(part)) : [];
    this.#open.delete(query);
    if (first === undefined) return this.columnsIn(query, 'SELECT');
    return first.map((column, index) => {
      const all = [column, ...others.flatMap((part) => part[index] ?? [])];
      const isPlain = all.length <= others.length || all.some((one) => !one.isTruth && !one.isNeutral);
      return {
        name: column.name,
        isTruth: !isPlain && all.some(({ isTruth }) => isTruth),
        isNeutral: all.every(({ isNeutral }) => isNeutral),
      };
    });
  }

  columnsIn(query: Query, list: 'SELECT' | 'RETURNING'): readonly TruthColumn[] {
    this.#open.add(query);
    const columns = (clauseOf(query, list)?.children ?? []).flatMap((element): readonly TruthColumn[] => {
      if (element.kind !== 'column') return [];
      const { value, alias } = element;
      if (value.kind === 'star') return this.#all(query);
      if (value.kind === 'name' && this.tree.items[value.last]?.word === '*')
        return this.#all(query, plain(this.tree.items[value.first]));
      const item = this.tree.items[alias ?? (value.kind === 'name' ? value.last : -1)];
      const name = item && identifier(item, this.dialect);
      return [{ name, isTruth: this.#isTruth(value), isNeutral: this.#isNeutral(value) }];
    });
    this.#open.delete(query);
    return columns;
  }

  /** The columns that a star selects from queries in FROM. Columns of tables are unknown. */
  #all(query: Query, qualifier?: string): readonly TruthColumn[] {
    return this.#sourcesOf(query)
      .filter(({ name }) => qualifier === undefined || name === qualifier)
      .flatMap(({ columns }) => columns());
  }

  #sourcesOf(query: Query): readonly { readonly name: string; columns: () => readonly TruthColumn[] }[] {
    const open: SqlNode[] = [...(clauseOf(query, 'FROM')?.children ?? [])];
    const found: { name: string; columns: () => readonly TruthColumn[] }[] = [];
    for (let node = open.shift(); node !== undefined; node = open.shift()) {
      if (node.kind === 'join') open.unshift(node.left, node.right);
      else if (node.kind === 'parentheses') open.unshift(...node.elements);
      else if (node.kind === 'derived') {
        const { source, alias } = node;
        const body = source.kind === 'subquery' ? source.body : source.kind === 'query' ? source : undefined;
        const columns = (): readonly TruthColumn[] =>
          body === undefined ? [] : this.#renamed(this.columnsOf(body), alias);
        found.push({ name: alias === undefined ? '' : plain(this.tree.items[alias]), columns });
      } else if (node.kind === 'table') {
        const { name, alias } = node;
        const own = plain(this.tree.items[name.last]);
        const query = name.parts.length === 1 ? this.#withQuery(own) : undefined;
        const columns = (): readonly TruthColumn[] =>
          query?.body === undefined ? [] : this.#renamed(this.columnsOf(query.body), query.name);
        found.push({ name: alias === undefined ? own : plain(this.tree.items[alias]), columns });
      }
    }
    return found;
  }

  /** The WITH query of that name; undefined if there are several. */
  #withQuery(name: string): Extract<SqlNode, { kind: 'with-query' }> | undefined {
    const [found, ...others] = this.tree.nodes.flatMap((node) =>
      node.kind === 'with-query' && plain(this.tree.items[node.name]) === name ? [node] : [],
    );
    return others.length === 0 ? found : undefined;
  }

  /** Applies the column names given after the name of a query: `WITH a (x, y) AS`. */
  #renamed(columns: readonly TruthColumn[], name: number | undefined): readonly TruthColumn[] {
    const { items } = this.tree;
    const open = name === undefined ? undefined : items[name + 1];
    if (name === undefined || open?.word !== '(') return columns;
    const names = items.slice(name + 2, open.close).filter(({ word }) => word !== ',');
    return columns.map((column, index) => {
      const item = names[index];
      return { ...column, name: item && identifier(item, this.dialect) };
    });
  }

  #isTruth(written: SqlNode): boolean {
    const node = unwrapped(written);
    const isMysql = this.dialect === 'mysql';
    switch (node.kind) {
      case 'operation':
        if (node.operator === '||')
          return isMysql && node.operands.every((operand) => this.#isTruth(operand));
        return operators.has(node.operator) || inWords.test(node.operator);
      case 'word':
        return this.#isWord(node, 'TRUE') || this.#isWord(node, 'FALSE');
      case 'placeholder':
        return node.expression !== undefined && kindOfExpression(node.expression) === 'boolean';
      case 'call': {
        const name = calledName(node, this.tree);
        if (isMysql && conditions.has(name)) return true;
        if (passing.has(name)) return node.arguments[0] !== undefined && this.#isTruth(node.arguments[0]);
        return this.#isOneOf(possibleValues(node, this.tree));
      }
      case 'case':
        return this.#isOneOf(node.values);
      case 'subquery':
        return this.columnsOf(node.body)[0]?.isTruth === true;
      case 'name':
        return this.#isTruthColumn(node);
      default:
        return false;
    }
  }

  /** Whether at least one of the values is a boolean and all others can be. */
  #isOneOf(values: readonly SqlNode[]): boolean {
    // A column combined with TRUE or FALSE is a boolean: COALESCE(active, FALSE).
    const isOfColumns = values.some((value) => this.#isWord(value, 'TRUE') || this.#isWord(value, 'FALSE'));
    return (
      values.some((value) => this.#isTruth(value)) &&
      values.every(
        (value) =>
          this.#isTruth(value) || this.#isNeutral(value) || (isOfColumns && unwrapped(value).kind === 'name'),
      )
    );
  }

  #isWord(written: SqlNode, word: string): boolean {
    const node = unwrapped(written);
    return node.kind === 'word' && this.tree.items[node.first]?.word === word;
  }

  #isNeutral(written: SqlNode): boolean {
    const node = unwrapped(written);
    if (this.#isWord(node, 'NULL')) return true;
    const { token } = this.tree.items[node.first] ?? {};
    return node.kind === 'number' && node.first === node.last && /^[01]$/.test(token?.text ?? '');
  }

  /** Whether the name is a boolean column of a query in FROM, in this query or an outer one. */
  #isTruthColumn(name: Name): boolean {
    const { items } = this.tree;
    const column = plain(items[name.last]);
    const qualifier = name.parts.length > 1 ? plain(items[name.parts.at(-2) ?? -1]) : undefined;
    for (let { query } = name; query !== undefined; query = query.query) {
      const named = this.#all(query, qualifier).filter((one) => one.name?.toLowerCase() === column);
      if (named.length > 0) return named.every(({ isTruth }) => isTruth);
      if (qualifier !== undefined && this.#sourcesOf(query).some((source) => source.name === qualifier))
        return false;
    }
    return false;
  }
}
