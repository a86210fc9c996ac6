/** Checks SQL statements with the databases' descriptions. */
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

/** The error of MySQL and MariaDB for a URL without a database. */
const noDatabase = 'No database selected';

/** Reports statements that their database refuses at build time. */
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
        message: `The embedded PostgreSQL does not support this statement of the schema: ${p.message}.`,
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
      // The value is reported by `sql-needs-cast`.
      const untyped = typeCodes.has(refusal.code) ? untypedIn(statement, analysis, operation, loop) : [];
      if (untyped.some(({ isLikelyText }) => !isLikelyText)) return;
      // Reported by `sql-insert-count`, which does not need a database.
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

/** The first unchecked statement for each datasource and reason: a missing privilege affects many statements. */
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

/** Codes for missing tables, columns, functions, types and schemas; the numbers are MySQL's. */
const nameCodes = wordSet('42P01 42703 42883 42704 3F000 42P02 1146 1054 1305 1630 1049 1051 1109');

/** Codes for ambiguous functions or operators, and for undetermined types. */
const typeCodes = wordSet('42725 42P18');

function isOfName({ code }: Refusal): boolean {
  return nameCodes.has(code);
}

/** The message and its span, with expressions in place of markers. */
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

/** Reports SQL values whose behavior depends on a type that neither the API description nor the SQL determines. */
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
      // The server does not accept a value for a row of several columns: every call would fail.
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
          where: 'next to a row',
          isSilent: false,
          rewrites: [`${written}::TYPE with the type of the row`],
        });
      }
    },
  }),
);

/** A PostgreSQL value whose type the author must write (see untyped-values.ts). */
interface UntypedValue {
  readonly span: Span;
  /** The position, for the message: `in sum( … )`, `beside +`. */
  readonly where: string;
  /** True if the server silently uses the value as a string. */
  readonly isSilent: boolean;
  /** True for a column of a query that is probably text. */
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

/** The subject of a message: `this value in sum( … )`, `this operand of '+'`. */
function valueAt(where: string): string {
  const operator = /^beside (\S+)$/.exec(where)?.[1];
  if (operator !== undefined) return `this operand of '${operator}'`;
  return `this value ${where.endsWith(')') ? `in ${where}` : where}`;
}

/** Reports `FROM orders o, customer c` without a condition that joins the tables. */
export const sqlNoJoin = rule(
  {
    'sql-no-join': warning({ name: 'text' }, (p: { name: string }) => ({
      message: `Nothing joins '${p.name}' with the other tables: each of its rows is combined with each of theirs.`,
      hint: `Write JOIN … ON with the condition, or CROSS JOIN to read all pairs of rows.`,
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

/** Reports result columns with the same name: a row can contain each name only once. */
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

/** Names shared by several columns, unless the statement compares these columns, so that all have the same value. */
function repeated({ columns = [] }: Description, tree: SqlTree): string[] {
  const names = columns.map(({ name }) => name);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].filter(
    (name) => !joinedColumns(tree).has(name.toLowerCase()),
  );
}

/** The columns compared by joins: `a.id = b.id` */
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

/** Reports `IN (:[lists.id])`: without `[*]`, the path reads only the first row, but all rows are meant. */
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
    /** The expressions in IN lists of the operation. */
    const lists = new Set<Expression>();
    return {
      statement: ({ pieces }) => {
        for (const node of pieces.tree.nodes) {
          const expression = readInList(node);
          if (expression !== undefined) lists.add(expression);
        }
      },
      value: (node, { operation, scope }) => {
        // The name may refer to a loop elsewhere in the operation.
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

/** The expression of a placeholder directly inside `IN ( … )`. */
function readInList(node: SqlNode): Expression | undefined {
  const list = node.kind === 'placeholder' ? node.parent : undefined;
  const isIn =
    list?.kind === 'parentheses' &&
    list.parent?.kind === 'operation' &&
    /(?:^| )IN$/.test(list.parent.operator);
  return isIn && node.kind === 'placeholder' ? node.expression : undefined;
}

/** Reports READs whose rows are unused, if the statement does not have other effects. */
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
        const isOfPage = node.kind === 'next' || node.kind === 'paging';
        if (!isOfRows && !isOfPage && node.kind !== 'status') return;
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
        // An unreadable expression may use the rows.
        if (hasErrors()) return;
        for (const fulfillment of unread) {
          const { name } = fulfillment;
          if (!read.has(fulfillment)) report('unread-result', name.span, { name: name.value });
        }
      },
    };
  },
);

/**
 * Whether the READ can only return rows, without side effects. An operation without data still needs a READ, such as `SELECT 1` or a SELECT
 * of constants.
 */
function onlyReads({ instructions }: DataFulfillment): boolean {
  return (
    instructions.length > 0 &&
    instructions.every(({ action }) => isStatement(action) && action.retry && readsTable(action))
  );
}

/** Whether the statement reads table content, not just the existence of rows. */
function readsTable({ pieces: { tree } }: SqlStatement): boolean {
  const from = tree.nodes.find((node) => node.kind === 'clause' && node.name === 'FROM');
  if (from?.query === undefined || tree.items[from.first + 1]?.word === 'DUAL') return false;
  const columns = clauseOf(from.query, 'SELECT')?.children ?? [];
  return !columns.every((one) => one.kind === 'column' && /^(?:number|string)$/.test(one.value.kind));
}
