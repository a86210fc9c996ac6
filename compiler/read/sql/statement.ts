/** Parsed SQL of the configuration: its pieces, and the values bound to it. See lower.ts for the SQL that is sent. */
import type { Sink } from '../diagnostics/finding.js';
import { Trial } from '../diagnostics/trial.js';
import type { Expression } from '../expression/ast.js';
import type { Span, ScalarText } from '../source.js';
import { boundsOf, type Bounds } from './parse/bounds.js';
import type { Dialect } from './dialect.js';
import { lexSql } from './lexer/lexer.js';
import { typesOf, type ValueTypes } from './facts/mysql-columns.js';
import { truthColumns } from './facts/truth-columns.js';
import { rowCountOf, useOf, type ValueUse } from './facts/mysql-use.js';
import { bindParameters } from './lexer/parameters.js';
import { placeholdersOf, type Form } from './lexer/placeholders.js';
import { itemsOf, parseSql } from './parse/parser.js';
import type { Item, Placeholder, SqlNode, SqlTree } from './parse/tree.js';
import { isAtomic, isRetryable } from './facts/retry.js';
import { withRowCounts } from './rewrite/row-counts.js';
import { spanOfNode, type SqlText, type Use } from './sql-text.js';
import { isClosed } from './lexer/unclosed.js';
import { isExecutableComment, type Token } from './lexer/token.js';
import { changesRows, givesRows, hasReturning } from './facts/verb.js';

export type { Dialect } from './dialect.js';
export type { SqlPart } from './rewrite/text-part.js';
export type { Form } from './lexer/placeholders.js';
export type { SqlText, Use } from './sql-text.js';

export interface SqlStatement {
  readonly dialect: Dialect;
  /** The main verb in upper case, after any WITH: SELECT, INSERT, … */
  readonly verb: string;
  readonly pieces: SqlPieces;
  /** The placeholder expressions, in order. */
  readonly bindings: readonly Expression[];
  /** MySQL only: the binding indexes that are row counts. */
  readonly rowCounts: ReadonlyMap<number, 'limit' | 'offset'>;
  /** MySQL only: the uses of bindings (by index) that determine how they are bound. */
  readonly uses: ReadonlyMap<number, ValueUse>;
  /** MySQL only: the columns that the values are written to and compared with. */
  readonly types?: ValueTypes;
  /** The names of boolean result columns, which MySQL returns as 1 or 0. */
  readonly truths: readonly string[];
  /** True if the statement can safely be sent twice. */
  readonly retry: boolean;
  /** True if a failed statement has no effects: it does not call other systems or commit by itself. */
  readonly atomic: boolean;
  /** True if the server can return rows. */
  readonly returnsRows: boolean;
  /** True for a PostgreSQL UPDATE that changes rows and does not have RETURNING. */
  readonly takesReturning: boolean;
}

/** The parsed SQL, for stages that know more about its values. */
export interface SqlPieces {
  readonly text: ScalarText;
  readonly tokens: readonly Token[];
  readonly bounds: Bounds;
  readonly tree: SqlTree;
  /** The source span of a node. */
  spanOf(node: Pick<SqlNode, 'first' | 'last'>): Span;
}

/** The result of reading a SQL text. */
export interface ReadSql {
  /** The input for the SQL rules. */
  readonly sql: SqlText;
  /** The statement, before any SQL rule is applied; undefined after a syntax error, which has been reported. */
  readonly statement: SqlStatement | undefined;
  /** All readable expressions, even if there is no statement: they are still checked. */
  readonly expressions: readonly Expression[];
}

/** The expressions of SQL in an unknown dialect; nothing else can be checked. */
export function expressionsIn(text: ScalarText, form: Form, use: Use | undefined): readonly Expression[] {
  return readSql(text, 'postgresql', form, use, new Trial()).expressions;
}

/**
 * Parses SQL and reports its syntax errors. `use` is undefined if unknown; `type` is the span of the fulfillment type if the statement is
 * its only one.
 */
export function readSql(
  text: ScalarText,
  dialect: Dialect,
  form: Form,
  use: Use | undefined,
  report: Sink,
  type?: Span,
): ReadSql {
  const tokens = lexSql(text.value, dialect, placeholdersOf(text, form, report));
  const inside = tokens.flatMap((token) => (token.kind === 'placeholder' ? [token.expression] : []));
  const all = form.kind === 'sql' ? form.parameters : inside;
  const expressions = all.filter((expression) => expression !== undefined);
  const sql = { text, dialect, form, use, type, tokens, tree: undefined };
  if (!isClosed(text, tokens, report)) return { sql, statement: undefined, expressions };
  const bound = bindParameters(text, form, tokens, report);
  const written = boundsOf(text, itemsOf(bound ?? tokens), report);
  if (written === undefined) return { sql, statement: undefined, expressions };
  const { sent, bounds, tree } = calculated(text, bound ?? tokens, written, dialect);
  const pieces = bound && bounds.isOnly ? piecesOf(text, sent, bounds, tree) : undefined;
  return { sql: { ...sql, tree }, statement: pieces && statementOf(pieces, dialect, use), expressions };
}

interface Parsed {
  readonly sent: readonly Token[];
  readonly bounds: Bounds;
  readonly tree: SqlTree;
}

/** The parsed tokens. On MySQL, the arithmetic in LIMIT and OFFSET is a placeholder. */
function calculated(text: ScalarText, tokens: readonly Token[], written: Bounds, dialect: Dialect): Parsed {
  const tree = parseSql(written.items, dialect);
  const sent = dialect === 'mysql' ? withRowCounts(text, tokens, tree) : undefined;
  // A second statement has been reported.
  const bounds = sent && boundsOf(text, itemsOf(sent), new Trial());
  if (sent === undefined || bounds === undefined) return { sent: tokens, bounds: written, tree };
  return { sent, bounds, tree: parseSql(bounds.items, dialect) };
}

function piecesOf(text: ScalarText, tokens: readonly Token[], bounds: Bounds, tree: SqlTree): SqlPieces {
  return { text, tokens, bounds, tree, spanOf: (node) => spanOfNode({ text }, node, bounds.items) };
}

/** The statement made of the parsed pieces; undefined if the verb is missing or a placeholder is unreadable. */
function statementOf(pieces: SqlPieces, dialect: Dialect, use: Use | undefined): SqlStatement | undefined {
  const { tokens, tree } = pieces;
  const { verb } = tree.main;
  const bindings = bindingsOf(tree.items);
  if (verb === '' || bindings === undefined) return undefined;
  const isWithoutRows = changesRows(verb) && !hasReturning(tree);
  return {
    dialect,
    verb,
    pieces,
    bindings,
    rowCounts: dialect === 'mysql' ? foundIn(tree, rowCountOf) : new Map(),
    uses: dialect === 'mysql' ? foundIn(tree, useOf) : new Map(),
    ...(dialect === 'mysql' ? { types: typesOf(tree) } : {}),
    truths: truthColumns(tree, dialect),
    retry: use === 'READ' && isRetryable(tree, dialect) && !tokens.some(isExecutableComment),
    atomic: isAtomic(tree),
    returnsRows: givesRows(tree, dialect),
    takesReturning: dialect === 'postgresql' && use === 'UPDATE' && isWithoutRows,
  };
}

/** The placeholder expressions; undefined if one of them has an error, which has been reported. */
function bindingsOf(items: readonly Item[]): Expression[] | undefined {
  const bindings: Expression[] = [];
  for (const { token } of items) {
    if (token.kind !== 'placeholder') continue;
    if (token.expression === undefined) return undefined;
    bindings.push(token.expression);
  }
  return bindings;
}

/** The result of `find` for each placeholder, keyed by binding index. */
function foundIn<Found>(
  tree: SqlTree,
  find: (placeholder: Placeholder, tree: SqlTree) => Found | undefined,
): Map<number, Found> {
  const bindings = new Map<number, number>();
  for (const [index, { token }] of tree.items.entries())
    if (token.kind === 'placeholder') bindings.set(index, bindings.size);
  const all = new Map<number, Found>();
  for (const node of tree.nodes) {
    const found = node.kind === 'placeholder' ? find(node, tree) : undefined;
    const binding = bindings.get(node.first);
    if (found !== undefined && binding !== undefined) all.set(binding, found);
  }
  return all;
}
