/** Checks `order` and `page` of a READ, and NEXT (docs/design/lists.md#lst-1). */
import type { ListOrder, Operation, OrderColumn } from '../../../read/config/config-model.js';
import {
  error,
  meantOr,
  ordinaryError,
  warning,
} from '../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { Expression } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import { resultColumnsOf } from '../../../read/sql/facts/result-columns.js';
import { repeatedRows } from '../../../read/sql/facts/unique-rows.js';
import { quotedName } from '../../../read/sql/quoted-name.js';
import { clauseOf, type Clause } from '../../../read/sql/parse/tree.js';
import type { DescribedColumn, Description } from '../../../read/sql/statement-description.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import type { Span } from '../../../read/source.js';
import type { Analysis } from '../../operations/analysis.js';
import { listColumn, type ListColumn } from '../../operations/statements/list-columns.js';
import { keyedTables } from '../../operations/statements/keyed-tables.js';
import { hasErrorIn } from '../error-spans.js';
import { rule, type NodeSite } from '../rule.js';
import { words } from '../../../read/diagnostics/marks.js';

/** Reports `order` and `page` without a list, and a `default` that is not an allowed order. */
export const orderWithoutList = rule(
  {
    'order-without-list': error({ field: 'text' }, (p: { field: string }) => ({
      message: `'${p.field}' is for the rows of a database, but this fulfillment calls a third-party API.`,
      hint: `Remove '${p.field}'.${p.field === 'page' ? " All pages of a third party's list are read with 'pages' of the request." : ''}`,
    })),
    'page-without-order': error(() => ({
      message: "'page' needs 'order'.",
      hint: 'Pages need an order that gives each row a definite place: order: { allow: { newest: created DESC }, default: newest, key: id }',
    })),
    'unknown-order': error(
      { written: 'text', names: 'text', nearest: 'suggestion', request: 'text' },
      (p: {
        written: string;
        names: readonly string[];
        nearest: string | undefined;
        /** For a constant 'by': the expression by which a request chooses an order. */
        request: string | undefined;
      }) => ({
        message: `Unknown order '${p.written}'${p.request === undefined ? '' : ': every request is refused with 400'}.`,
        ...(p.request === undefined
          ? meantOr(p.nearest, `Write one of 'allow': ${quotedList(p.names)}.`)
          : { hint: `Write ${p.request} to let each request choose.`, instead: p.request }),
        // Further problems with the order are only visible after this fix.
        isSuggestion: true,
      }),
    ),
    'constant-order': warning(
      { order: 'text', request: 'text' },
      (p: { order: string; request: string }) => ({
        message: `Every request gets the order '${p.order}': 'by' is a constant.`,
        hint: `Write ${p.request} to let each request choose, or remove 'by'.`,
        instead: p.request,
        isSuggestion: true,
      }),
    ),
    'constant-page': ordinaryError(
      { field: words('limit', 'after', 'number', 'offset'), written: 'text', request: 'text' },
      (p: { field: PageField; written: string; request: string }) => ({
        message: `Every request is refused with 400: '${p.field}' is the constant '${p.written}'.`,
        hint: `Write ${p.request} to let each request choose.`,
        instead: p.request,
        isSuggestion: true,
      }),
    ),
  },
  ({ analysis, report }) => ({
    fulfillment: (fulfillment, { operation }) => {
      if (!('instructions' in fulfillment)) return;
      const { order, page, fields } = fulfillment;
      if (analysis.datasource(fulfillment.datasource.value)?.type === 'rest')
        for (const field of ['order', 'page']) {
          const span = fields.get(field);
          if (span !== undefined) report('order-without-list', span, { field });
        }
      const pageSpan = fields.get('page');
      if (page !== undefined && pageSpan !== undefined && !fields.has('order'))
        report('page-without-order', pageSpan);
      for (const field of ['limit', 'after', 'number', 'offset'] as const) {
        const value = page?.[field];
        const written = constantOf(value);
        if (value === undefined || written === undefined || isPossible(field, written)) continue;
        if (hasErrorIn(analysis, value.span)) continue;
        const usual = field === 'number' ? 'page' : field;
        report('constant-page', value.span, { field, written, request: askedFor(usual, written, operation) });
      }
      const names = order?.allow.map(({ name }) => name.value) ?? [];
      // Without any allowed orders, 'allow' is the error.
      if (order === undefined || names.length === 0) return;
      if (order.default !== undefined && !names.includes(order.default.value)) {
        const { value: written, span } = order.default;
        report('unknown-order', span, {
          ...{ written, names, nearest: nearest(written, names), request: undefined },
        });
      }
      const written = constantOf(order.by);
      if (order.by === undefined || (written === undefined && order.by.kind !== 'null')) return;
      if (hasErrorIn(analysis, order.by.span)) return;
      const chosen = written ?? order.default?.value ?? '';
      const request = askedFor(
        'sort',
        written === undefined || names.includes(written) ? '' : written,
        operation,
      );
      if (written === undefined || names.includes(written))
        report('constant-order', order.by.span, { order: chosen, request });
      else report('unknown-order', order.by.span, { written, names, nearest: undefined, request });
    },
  }),
);

/** The string form of a constant; undefined for null and for other expressions. */
function constantOf(value: Expression | undefined): string | undefined {
  switch (value?.kind) {
    case 'text':
    case 'number':
    case 'boolean':
      return String(value.value);
    default:
      return undefined;
  }
}

type PageField = 'limit' | 'after' | 'number' | 'offset';

/** Whether requests can work with that constant: an empty 'after' means the first page. */
function isPossible(field: PageField, written: string): boolean {
  if (field === 'offset') return /^\d+$/.test(written);
  return field === 'after' ? written === '' : /^[1-9]\d*$/.test(written);
}

/** An expression that reads a query parameter, named like the constant if that is a valid name. */
function askedFor(usual: string, written: string, { syntax, name: { span } }: Operation): string {
  const name = /^[A-Za-z_][\w-]*$/.test(written) ? written : usual;
  return printExpression({ kind: 'sent', place: 'query', name, span }, syntax);
}

/** Reports statements that cannot be nested in the statement that orders their rows. */
export const listStatement = rule(
  {
    'list-statement': error(
      { has: 'text', field: words('page', 'order') },
      (p: { has: string; field: 'order' | 'page' }) => ({
        message: `The statement of a list has ${p.has} of its own.`,
        hint:
          p.field === 'page'
            ? "Remove it: 'page' limits the rows."
            : "Remove it: 'order' sorts the rows. A query in parentheses may have it: FROM (SELECT … LIMIT 10) AS latest.",
      }),
    ),
    'list-not-select': error({ verb: 'word' }, (p: { verb: string }) => ({
      message: `The rows of ${p.verb} cannot be ordered.`,
      hint: "Write a SELECT, or remove 'order'.",
    })),
    'list-column-twice': error({ name: 'text' }, (p: { name: string }) => ({
      message: `The statement of a list has two columns named '${p.name}'.`,
      hint: 'Give one of them another name with AS.',
    })),
  },
  ({ analysis, report }) => ({
    statement: (statement, { fulfillment }) => {
      if (fulfillment.order === undefined) return;
      const { pieces } = statement;
      const { root, main } = pieces.tree;
      if (statement.verb !== 'SELECT' && statement.verb !== 'VALUES' && statement.verb !== 'TABLE') {
        report('list-not-select', pieces.spanOf(main), { verb: statement.verb });
        return;
      }
      const own = [...root.clauses, ...(root === main || root.operators.length > 0 ? [] : main.clauses)];
      for (const clause of own) {
        const found = forbidden(clause);
        if (found !== undefined) report('list-statement', pieces.spanOf(clause), found);
      }
      const twice = columnTwice(statement, analysis.descriptionOf(statement), fulfillment.order);
      if (twice !== undefined)
        report('list-column-twice', pieces.spanOf(clauseOf(main, 'SELECT') ?? main), twice);
    },
  }),
);

/** The clauses that a query in FROM cannot have; undefined for all others. */
function forbidden({ name, modifiers }: Clause): { has: string; field: 'order' | 'page' } | undefined {
  switch (name) {
    case 'ORDER':
      return { has: 'an ORDER BY', field: 'order' };
    case 'LIMIT':
    case 'OFFSET':
    case 'FETCH':
      return {
        has: `${name === 'LIMIT' ? 'a' : 'an'} ${name}`.replace('an FETCH', 'a FETCH'),
        field: 'page',
      };
    case 'FOR':
    case 'LOCK':
      return { has: `${name} ${modifiers.join(' ')}`.trim(), field: 'order' };
    default:
      return undefined;
  }
}

/** Finds duplicate column names: MySQL and MariaDB refuse these in FROM; PostgreSQL only refuses them in columns used for ordering. */
function columnTwice(
  statement: SqlStatement,
  description: Description | undefined,
  { allow, key }: ListOrder,
): { name: string } | undefined {
  const names = description?.columns?.map(({ name }) => name) ?? resultColumnsOf(statement)?.names ?? [];
  const isMysql = statement.dialect === 'mysql';
  const keyOf = (name: string): string => (isMysql ? name.toLowerCase() : name);
  const ordered = [...allow.flatMap(({ columns }) => columns), ...key].flatMap((column) => {
    const found = listColumn(column, statement, description);
    return 'names' in found ? [] : [found.name];
  });
  const seen = new Set<string>();
  for (const name of names) {
    if (name === undefined) continue;
    if (seen.has(keyOf(name)) && (isMysql || ordered.includes(name))) return { name };
    seen.add(keyOf(name));
  }
  return undefined;
}

/** Reports columns by which a list cannot be ordered. */
export const unknownOrderColumn = rule(
  {
    'unknown-order-column': error(
      { name: 'text', names: 'text', nearest: 'suggestion' },
      (p: { name: string; names: readonly string[]; nearest: string | undefined }) => ({
        message: `The statement has no column '${p.name}'.`,
        ...meantOr(
          p.nearest,
          `${p.names.length === 0 ? '' : `Its columns are ${quotedList(p.names)}. `}Select the expression of the order with a name: lower(title) AS sort_title.`,
        ),
        isSuggestion: true,
      }),
    ),
    'order-column-type': error(
      { name: 'text', type: 'word', hint: 'sentence' },
      (p: { name: string; type: string; hint: string }) => ({
        message: `Rows cannot be ordered by '${p.name}', which is ${p.type}.`,
        hint: p.hint,
      }),
    ),
    'order-nulls': error(() => ({
      message: 'MySQL and MariaDB have no NULLS FIRST and NULLS LAST.',
      hint: 'Null comes first in ascending order there. Select an expression for the order, such as due IS NULL AS undated, and order by it first.',
    })),
    'order-key': warning(
      { names: 'text', problem: 'sentence', hint: 'sentence' },
      (p: { names: readonly string[]; problem: string; hint: string }) => ({
        message: `${quotedList(p.names)} may not be unique: ${p.problem}.`,
        hint: p.hint,
      }),
    ),
  },
  ({ analysis, report }) => ({
    statement: (statement, { fulfillment }) => {
      const { order } = fulfillment;
      if (order === undefined) return;
      const description = analysis.descriptionOf(statement);
      const columns = [...order.allow.flatMap((one) => one.columns), ...order.key];
      let isRefused = columnTwice(statement, description, order) !== undefined;
      for (const column of columns) {
        if (column.nulls !== undefined && statement.dialect === 'mysql') report('order-nulls', column.span);
        const found = listColumn(column, statement, description);
        if ('names' in found) {
          report('unknown-order-column', column.span, missing(column, found.names, statement));
          isRefused = true;
          continue;
        }
        const problem = found.described && typeProblem(found.described, statement);
        isRefused ||= problem !== undefined;
        if (problem !== undefined) report('order-column-type', column.span, { name: found.name, ...problem });
      }
      const refused = isRefused ? undefined : refusedColumn(order, description?.refusedOrders);
      const found = refused && listColumn(refused.column, statement, description);
      if (refused !== undefined && found !== undefined && 'name' in found)
        report('order-column-type', refused.column.span, {
          name: found.name,
          type: `of type ${found.described?.type.name ?? 'unknown'}`,
          hint: `The database refuses the order or its next page: ${refused.message}. Select it with a cast and another name.`,
        });
      const problem = keyProblem(order, statement, analysis);
      const [first] = order.key;
      if (problem !== undefined && first !== undefined)
        report('order-key', order.fields.get('key') ?? first.span, {
          names: order.key.map(({ name }) => name),
          ...problem,
        });
    },
  }),
);

interface UnknownColumn {
  readonly name: string;
  readonly names: readonly string[];
  readonly nearest: string | undefined;
}

function missing(
  { name, isQuoted }: OrderColumn,
  names: readonly string[],
  { dialect }: SqlStatement,
): UnknownColumn {
  const near = nearest(name, names);
  const instead = near !== undefined && isQuoted ? quotedName(near, dialect) : near;
  return { name, names, nearest: instead };
}

/** PostgreSQL types that cannot be ordered, or whose values have several parts. */
const unordered = new Set(
  'json jsonb xml point line lseg box path polygon circle xid cid aclitem refcursor'.split(' '),
);

/** The reason why rows cannot be ordered by the column. */
function typeProblem(
  { name, type }: DescribedColumn,
  { dialect }: SqlStatement,
): { readonly type: string; readonly hint: string } | undefined {
  if (type.element !== undefined)
    return { type: 'an array', hint: `Select one value of it with a name: ${name}[1] AS first.` };
  if (dialect === 'mysql' && (type.labels !== undefined || type.name === 'set'))
    return {
      type: type.name === 'set' ? 'a SET' : 'an ENUM',
      hint: `Its values are sorted by their numbers and compared as strings. Select one of them: ${name} + 0 AS ${name}_number, or CAST(${name} AS CHAR) AS ${name}_text.`,
    };
  if (unordered.has(type.name) || (dialect === 'mysql' && type.name === 'geometry'))
    return { type: `of type ${type.name}`, hint: 'Select one value of it, with a name.' };
  return undefined;
}

/** The first column of a refused order that does not occur in an accepted order. */
function refusedColumn(
  { allow, key }: ListOrder,
  refused: Description['refusedOrders'],
): { readonly column: OrderColumn; readonly message: string } | undefined {
  if (refused === undefined) return undefined;
  // Orders with the same columns share a statement.
  const columnsOf = ({ columns }: ListOrder['allow'][number]): string =>
    [...new Set([...columns, ...key].map(({ name }) => name.toLowerCase()))].sort().join('\n');
  const names = refused.map(({ name }) => name);
  const sets = new Set(allow.filter(({ name }) => names.includes(name.value)).map(columnsOf));
  const isRefused = (one: ListOrder['allow'][number]): boolean => sets.has(columnsOf(one));
  const accepted = new Set(allow.flatMap((one) => (isRefused(one) ? [] : columnsOf(one).split('\n'))));
  const first = allow.find(isRefused);
  const own = [...(first?.columns ?? []), ...key];
  const column = own.find(({ name }) => !accepted.has(name.toLowerCase())) ?? own[0];
  return column && { column, message: refused[0]?.message ?? '' };
}

/** The reason why the columns of the key may not be unique; undefined if the schema guarantees uniqueness. */
function keyProblem(
  { key }: ListOrder,
  statement: SqlStatement,
  analysis: Analysis,
): { readonly problem: string; readonly hint: string } | undefined {
  const described = analysis.descriptions.of(statement);
  if (described === undefined || 'refusal' in described.result) return undefined;
  const description = analysis.descriptionOf(statement);
  const columns = key.map((column) => listColumn(column, statement, description));
  const found = columns.filter((column): column is ListColumn => !('names' in column));
  // A missing column has been reported.
  if (found.length < columns.length) return undefined;
  const empty = found.find(({ isNeverNull: isThere }) => !isThere);
  const hint = 'Rows with equal values can be lost between two pages. Write all columns of a unique key.';
  if (empty !== undefined) return { problem: `'${empty.name}' may be null`, hint };
  const tables = analysis.descriptions.tables(described.asked.datasource);
  const names = found.map(({ name }) => name.toLowerCase());
  const problem = repeatedRows(statement, names, keyedTables(tables));
  return problem === undefined ? undefined : { problem, hint };
}

/** Reports NEXT and other facts about pages for a result without pages. */
export const nextWithoutPage = rule(
  {
    'next-without-page': error(
      { name: 'text', hasPage: 'text' },
      (p: { name: string; hasPage: readonly string[] }) => ({
        message: `'${p.name}' has no pages.`,
        hint:
          p.hasPage.length === 0
            ? "Write 'order' and 'page' in its fulfillment."
            : `${quotedList(p.hasPage)} ${p.hasPage.length === 1 ? 'has' : 'have'} some.`,
      }),
    ),
  },
  ({ report }) => {
    const check = (
      { name, nameSpan }: Extract<Expression, { kind: 'next' | 'paging' }>,
      { scope, analyzed }: NodeSite,
    ): void => {
      const fulfillment = scope.visible.get(name);
      if (fulfillment === undefined || fulfillment.fields.has('page')) return;
      const others = analyzed.fulfillments.filter((one) => one.fulfillment.fields.has('page'));
      report('next-without-page', nameSpan, {
        name,
        hasPage: others.map((one) => one.fulfillment.name.value),
      });
    };
    return { next: check, paging: check };
  },
);

/** Reports NEXT inside a string, which is then never null, not even on the last page. */
export const nextInText = rule(
  {
    'next-in-text': warning({ next: 'text', isNull: 'text' }, (p: { next: string; isNull: string }) => ({
      message: `${p.next} is null after the last page, but the rest of this string remains.`,
      hint: `Return ${p.next} alone, or write another response for the last page: if: ${p.isNull}. A line of 'header' that contains it is omitted after the last page.`,
    })),
  },
  ({ report }) => {
    let texts: { readonly name: string; readonly span: Span }[] = [];
    let compared = new Set<string>();
    return {
      concat: ({ parts }) => {
        for (const part of parts)
          if (typeof part !== 'string' && part.kind === 'next')
            texts.push({ name: part.name, span: part.span });
      },
      comparison: ({ left, right }) => {
        for (const [one, other] of [
          [left, right],
          [right, left],
        ])
          if (one?.kind === 'next' && other?.kind === 'null') compared.add(one.name);
      },
      operationEnd: ({ syntax }) => {
        for (const { name, span } of texts.filter((text) => !compared.has(text.name))) {
          const next = syntax === 'A' ? `NEXT(${name})` : `${name}.next()`;
          report('next-in-text', span, { next, isNull: `${next} == ${syntax === 'A' ? 'NULL()' : 'null'}` });
        }
        texts = [];
        compared = new Set();
      },
    };
  },
);
