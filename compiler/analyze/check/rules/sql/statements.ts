/** Checks SQL statements by the descriptions that the database returns. */
import type {
  DataFulfillment,
  Datasource,
  Fulfillment,
  LoopFulfillment,
  Operation,
} from '../../../../read/config/config-model.js';
import { ordinaryError, warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import { listed } from '../../../../read/diagnostics/quoted-list.js';
import type { Expression } from '../../../../read/expression/ast.js';
import { printExpression } from '../../../../read/expression/print-expression.js';
import type { Span } from '../../../../read/source.js';
import { typingOf } from '../../../../read/sql/rewrite/untyped-values.js';
import { lastPart } from '../../../../read/sql/facts/server-names.js';
import { hidingColumns } from '../../../../read/sql/facts/result-columns.js';
import { calledIn, unjoinedTables } from '../../../../read/sql/facts/unjoined-tables.js';
import type { ValueKind } from '../../../../read/sql/facts/value-kind.js';
import { clauseOf, type SqlNode, type SqlTree } from '../../../../read/sql/parse/tree.js';
import type { Description, Refusal } from '../../../../read/sql/statement-description.js';
import type { SqlStatement } from '../../../../read/sql/statement.js';
import type { Analysis } from '../../../operations/analysis.js';
import { kindOfValue } from '../../../operations/statements/kind-of-value.js';
import type {
  AskedStatement,
  UncheckedStatement,
} from '../../../operations/statements/statement-descriptions.js';
import { castHint, otherHint } from '../../refusal-hints.js';
import { meantColumn, meantColumnOfTable, type MeantName, meantTable } from '../../refused-name.js';
import { rule, ruleOfWhole } from '../../rule.js';
import { columnHint, schemaHint, spanOfError } from '../../schema-errors.js';
import { wordSet } from '../../../../read/wordset.js';
import { isStatement } from '../../../../read/config/walk.js';

const namesAreOpen =
  'Unknown tables, columns and types are not reported, because this statement may create them.';

/** MySQL and MariaDB, for a URL that ends with the host. */
const noDatabase = 'No database selected';

/** Statements that their database refuses: it was asked before the service runs. */
export const sqlRefused = ruleOfWhole(
  {
    'sql-refused': ordinaryError(
      { message: 'sentence', hint: 'sentence', meant: { hint: 'sentence', instead: 'text' } },
      (p: { message: string; hint: string | undefined; meant: MeantName | undefined }) => ({
        message: `The database rejects this statement: ${p.message}.`,
        hint: p.hint,
        instead: p.meant?.instead,
        isSuggestion: p.meant?.isSure !== true,
      }),
    ),
    'schema-refused': ordinaryError(
      { message: 'sentence', hint: 'sentence' },
      (p: { message: string; hint: string | undefined }) => ({
        message: `This statement of the schema fails: ${p.message}.`,
        hint: `${p.hint ?? schemaHint(p.message)} ${namesAreOpen}`,
      }),
    ),
    'schema-not-run': warning(
      { message: 'sentence', hint: 'sentence' },
      (p: { message: string; hint: string | undefined }) => ({
        message: `The embedded PostgreSQL lacks what this statement of the schema needs: ${p.message}.`,
        hint: `To check with a server that has it, use --database. The rest of the schema is used. ${namesAreOpen}`,
      }),
    ),
    'sql-not-checked': warning(
      { reason: 'sentence', datasource: 'text' },
      (p: { reason: string; datasource: string; others: number }) => ({
        message: `This statement is not checked: ${p.reason}.`,
        hint: `${p.others === 0 ? 'It' : `It and ${p.others} more on '${p.datasource}'`} may be right or wrong. ${p.reason === noDatabase ? 'Write the name of the database at the end of the URL.' : 'Connect as a user with the privileges of the service.'}`,
      }),
    ),
  },
  ({ analysis, report }) => ({
    statement: (statement, { operation, loop }) => {
      const described = analysis.descriptions.of(statement);
      if (described === undefined || !('refusal' in described.result)) return;
      const { asked, result } = described;
      const { refusal } = result;
      // `sql-needs-cast` names the value.
      const untyped = typeCodes.has(refusal.code) ? untypedIn(statement, analysis, operation, loop) : [];
      if (untyped.some(({ isLikelyText }) => !isLikelyText)) return;
      // `sql-insert-count` reports it without a database.
      if (/^INSERT has more (?:expressions|target columns)/.test(refusal.message)) return;
      if (isOfName(refusal) && !analysis.descriptions.isWhole(asked.datasource)) return;
      const { message, span } = inOwnWords(refusal, asked, operation.syntax);
      const tables = analysis.descriptions.tables(asked.datasource);
      const meant =
        meantColumn(refusal, span) ??
        meantColumnOfTable(refusal, tables) ??
        meantTable(
          refusal,
          tables.flatMap(({ name, schema }) => (schema === undefined ? [name] : [])),
        );
      const hint = meant?.hint ?? castHint(refusal) ?? refusal.hint ?? otherHint(refusal, span);
      report('sql-refused', span, {
        message,
        hint: sentence(hint),
        meant,
      });
    },
    end: () => {
      for (const [datasource, [first, ...others]] of byDatasource(analysis.descriptions.unchecked))
        if (first !== undefined)
          report('sql-not-checked', first.asked.statement.pieces.text.span, {
            reason: first.reason,
            datasource: datasource.name.value,
            others: others.length,
          });
      for (const error of analysis.descriptions.errors) {
        const { message, hint, isLack } = error;
        report(isLack ? 'schema-not-run' : 'schema-refused', spanOfError(error), {
          message,
          hint: hint === undefined ? columnHint(error) : sentence(hint),
        });
      }
    },
  }),
);

/** Once for each, with the first of its statements: a missing privilege concerns many. */
function byDatasource(
  unchecked: readonly UncheckedStatement[],
): ReadonlyMap<Datasource, readonly UncheckedStatement[]> {
  const all = new Map<Datasource, UncheckedStatement[]>();
  for (const one of unchecked) {
    const { datasource } = one.asked;
    const own = all.get(datasource) ?? [];
    own.push(one);
    all.set(datasource, own);
  }
  return all;
}

/** Tables, columns, functions, types and schemas that are not there; the numbers are MySQL's. */
const nameCodes = wordSet('42P01 42703 42883 42704 3F000 42P02 1146 1054 1305 1630 1049 1051 1109');

/** Several functions or operators match, or none determines the type of a value. */
const typeCodes = wordSet('42725 42P18');

function isOfName({ code }: Refusal): boolean {
  return nameCodes.has(code);
}

/** The message and its span, with the bound expressions instead of their markers. */
function inOwnWords(
  { message, at }: Refusal,
  asked: AskedStatement,
  syntax: 'A' | 'B',
): { message: string; span: Span } {
  const { statement, bindings } = asked;
  const marker = /\$(\d+)/.exec(message);
  const named = marker === null ? undefined : bindings[Number(marker[1]) - 1];
  const span = at !== undefined ? asked.spanOf(at) : (named?.span ?? statement.pieces.text.span);
  const words = message.replaceAll(/parameter \$(\d+)/g, (written, number: string) => {
    const bound = bindings[Number(number) - 1];
    return bound === undefined ? written : `:[${printExpression(bound, syntax)}]`;
  });
  return { message: words, span };
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Values of SQL whose meaning depends on a type that is neither in the API description nor in the SQL. */
export const sqlNeedsCast = rule(
  {
    'sql-needs-cast': ordinaryError(
      { where: 'text', rewrites: 'text' },
      (p: { where: string; isSilent: boolean; rewrites: readonly string[] }) => ({
        message: p.isSilent
          ? `PostgreSQL reads ${valueAt(p.where)} as a string.`
          : `PostgreSQL cannot determine the type of ${valueAt(p.where)}.`,
        hint: `Write ${listed(p.rewrites, 'or')}.`,
      }),
    ),
    'sql-string-column': warning({ rewrites: 'text' }, (p: { rewrites: readonly string[] }) => ({
      message: 'PostgreSQL reads this column as a string.',
      hint: `Write ${listed(p.rewrites, 'or')}.`,
    })),
  },
  ({ analysis, report }) => ({
    statement: (statement, { operation, loop }) => {
      for (const { span, isLikelyText, ...untyped } of untypedIn(statement, analysis, operation, loop)) {
        if (isLikelyText) report('sql-string-column', span, untyped);
        else report('sql-needs-cast', span, untyped);
      }
      // The server accepts no value for a row of several columns: every call would fail.
      const described = analysis.descriptions.of(statement);
      if (described === undefined || 'refusal' in described.result) return;
      for (const [index, { name, element }] of described.result.description.parameters.entries()) {
        const binding = described.asked.bindings[index];
        if (binding === undefined || (name !== 'record' && element?.name !== 'record')) continue;
        const { pieces } = statement;
        const node = pieces.tree.nodes.find(
          (one) => one.kind === 'placeholder' && one.expression === binding,
        );
        const written = pieces.tree.items[node?.first ?? -1]?.token.text ?? '?';
        report('sql-needs-cast', node === undefined ? binding.span : pieces.spanOf(node), {
          where: 'beside a row',
          isSilent: false,
          rewrites: [`${written}::TYPE with the type of the row`],
        });
      }
    },
  }),
);

/** A value of PostgreSQL whose type its author has to write (see untyped-values.ts). */
interface UntypedValue {
  readonly span: Span;
  /** `in sum( … )`, `beside +`. */
  readonly where: string;
  /** True if the server uses the value as a string, and does not complain. */
  readonly isSilent: boolean;
  /** True for a column of a query that is probably a text. */
  readonly isLikelyText: boolean;
  /** The suggested replacements: `:[param.n]::bigint`. */
  readonly rewrites: readonly string[];
}

function untypedIn(
  { dialect, pieces }: SqlStatement,
  { declared }: Analysis,
  operation: Operation,
  loop: LoopFulfillment | undefined,
): UntypedValue[] {
  if (dialect !== 'postgresql') return [];
  const { tree } = pieces;
  const kindOf = (value: Expression): ValueKind | undefined =>
    kindOfValue(value, declared.of(value, operation, loop));
  return typingOf(tree, kindOf).untyped.map(({ placeholder, where, isSilent, choices, isLikelyText }) => {
    const written = tree.items[placeholder.first]?.token.text ?? '';
    const rewrites = choices.map(({ type, meaning }) => `${written}::${type}${meaning}`);
    return {
      span: pieces.spanOf(placeholder),
      where,
      isSilent,
      isLikelyText: isLikelyText === true,
      rewrites,
    };
  });
}

/** `this value in sum( … )`, `this operand of '+'`. */
function valueAt(where: string): string {
  const operator = /^beside (\S+)$/.exec(where)?.[1];
  if (operator !== undefined) return `this operand of '${operator}'`;
  return `this value ${where.endsWith(')') ? `in ${where}` : where}`;
}

/** `FROM orders o, customer c` without a condition that joins them. */
export const sqlNoJoin = rule(
  {
    'sql-no-join': warning({ name: 'text' }, (p: { name: string }) => ({
      message: `Nothing joins '${p.name}' with the other tables: each of its rows is combined with each of theirs.`,
      hint: `Write JOIN … ON with the condition, or CROSS JOIN if every pair is meant.`,
    })),
  },
  ({ report }) => ({
    statement: ({ pieces }) => {
      const { tree } = pieces;
      for (const table of unjoinedTables(tree))
        report('sql-no-join', pieces.spanOf(table), { name: calledIn(tree, table) });
    },
  }),
);

/** Columns of one result with the same name: a row has each name once. */
export const sqlSameColumn = rule(
  {
    'sql-same-column': warning({ name: 'text' }, (p: { name: string }) => ({
      message: `Two columns of this result are named '${p.name}': only the last of them is in its rows.`,
      hint: `Name one of them with AS, such as AS other_${p.name}.`,
    })),
  },
  ({ analysis, report }) => ({
    statement: (statement) => {
      const { pieces, returnsRows } = statement;
      const { tree } = pieces;
      if (!returnsRows) return;
      const star = tree.nodes.find(
        ({ kind, clause, children }) => kind === 'star' && clause?.name === 'SELECT' && children.length > 0,
      );
      const result = analysis.descriptions.of(statement)?.result;
      if (star !== undefined && result !== undefined && 'description' in result)
        for (const name of repeated(result.description, tree))
          report('sql-same-column', pieces.spanOf({ first: star.last, last: star.last }), { name });
      for (const { name, column } of hidingColumns(statement))
        report('sql-same-column', pieces.spanOf(column), { name });
    },
  }),
);

/** Names of several columns, except those that the statement compares with each other, of which either may be read. */
function repeated({ columns = [] }: Description, tree: SqlTree): string[] {
  const names = columns.map(({ name }) => name);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].filter(
    (name) => !joinedColumns(tree).has(name.toLowerCase()),
  );
}

/** `a.id = b.id` */
function joinedColumns(tree: SqlTree): ReadonlySet<string> {
  return new Set(
    tree.nodes.flatMap((node) => {
      if (node.kind !== 'operation' || node.operator !== '=') return [];
      const [left, right] = node.operands;
      if (left?.kind !== 'name' || right?.kind !== 'name') return [];
      const column = lastPart(tree, left);
      return left.parts.length > 1 && right.parts.length > 1 && column === lastPart(tree, right)
        ? [column]
        : [];
    }),
  );
}

/** `IN (:[lists.id])`: a path without `[*]` reads the first row of a result, where all of them are wanted. */
export const sqlInFirstRow = rule(
  {
    'sql-in-first-row': warning(
      { name: 'text', rewrite: 'text' },
      (p: { name: string; rewrite: string }) => ({
        message: `This list has one value: that of the first row of '${p.name}'.`,
        hint: `Write ${p.rewrite} for the values of all rows.`,
      }),
    ),
  },
  ({ report }) => {
    /** The lists of the operation, with the syntax that they are written in. */
    const lists = new Set<Expression>();
    return {
      statement: ({ pieces }) => {
        for (const node of pieces.tree.nodes) {
          const expression = readInList(node);
          if (expression !== undefined) lists.add(expression);
        }
      },
      value: (node, { operation, scope }) => {
        // A name may mean a loop elsewhere in the operation.
        const type = scope.visible.get(node.name)?.type;
        if (!lists.has(node) || (type !== 'READ' && type !== 'UPDATE')) return;
        if (node.path[0]?.kind !== 'name') return;
        const path = [{ kind: 'all' } as const, ...node.path];
        report('sql-in-first-row', node.span, {
          name: node.name,
          rewrite: printExpression({ ...node, path }, operation.syntax),
        });
      },
    };
  },
);

/** The expression of a placeholder right inside `IN ( … )`. */
function readInList(node: SqlNode): Expression | undefined {
  const list = node.kind === 'placeholder' ? node.parent : undefined;
  const isIn =
    list?.kind === 'parentheses' &&
    list.parent?.kind === 'operation' &&
    /(?:^| )IN$/.test(list.parent.operator);
  return isIn && node.kind === 'placeholder' ? node.expression : undefined;
}

/** READs whose rows are unused, if running the statement has no other effect. */
export const unreadResult = rule(
  {
    'unread-result': warning({ name: 'text' }, (p: { name: string }) => ({
      message: `The result of '${p.name}' is never read.`,
      hint: `Read it in a condition, a later fulfillment or a response, or remove '${p.name}'.`,
    })),
  },
  ({ report, hasErrors }) => {
    const read = new Set<Fulfillment>();
    const unread = new Set<DataFulfillment>();
    return {
      node: (node, { scope }) => {
        const isOfRows = node.kind === 'value' || node.kind === 'result';
        if (!isOfRows && node.kind !== 'status' && node.kind !== 'next') return;
        const fulfillment = scope.visible.get(node.name);
        if (fulfillment !== undefined) read.add(fulfillment);
      },
      fulfillment: (fulfillment, { analyzed }) => {
        if (fulfillment.type !== 'READ' || fulfillment.fields.has('index') || !onlyReads(fulfillment)) return;
        const isJoined = analyzed.joins.distinct.some(({ left, right }) =>
          [left.fulfillment, right.fulfillment].includes(fulfillment.name.value),
        );
        if (!isJoined && fulfillment.join.length === 0) unread.add(fulfillment);
      },
      end: () => {
        // A part that could not be read may read it.
        if (hasErrors()) return;
        for (const fulfillment of unread) {
          const { name } = fulfillment;
          if (!read.has(fulfillment)) report('unread-result', name.span, { name: name.value });
        }
      },
    };
  },
);

/** Whether it can only return rows, without side effects. An operation without data needs a READ too: `SELECT 1`, or of a constant. */
function onlyReads({ instructions }: DataFulfillment): boolean {
  return (
    instructions.length > 0 &&
    instructions.every(({ action }) => isStatement(action) && action.retry && readsTable(action))
  );
}

/** Whether it reads a table, and more of it than that there is a row. */
function readsTable({ pieces: { tree } }: SqlStatement): boolean {
  const from = tree.nodes.find((node) => node.kind === 'clause' && node.name === 'FROM');
  if (from?.query === undefined || tree.items[from.first + 1]?.word === 'DUAL') return false;
  const columns = clauseOf(from.query, 'SELECT')?.children ?? [];
  return !columns.every((one) => one.kind === 'column' && /^(?:number|string)$/.test(one.value.kind));
}
