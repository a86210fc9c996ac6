/** Checks `filter` of a READ (docs/design/lists.md#lst-4). */
import type { FilterOperator } from '../../../../runtime/lists/filter-types.js';
import type { FilterName, OrderColumn } from '../../../read/config/config-model.js';
import { keyParameters } from '../../../read/config/key-parameters.js';
import { error, meantOr, ordinaryError } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { Expression } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import { clauseOf } from '../../../read/sql/parse/tree.js';
import type { Description } from '../../../read/sql/statement-description.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import { namesBeside } from '../../operations/filter-names.js';
import { sentColumns, type SentResult } from '../../operations/sent-columns.js';
import { operatorsOf, typeOfColumn, typeOfFilter } from '../../operations/statements/filter-columns.js';
import { listColumn, type ListColumn } from '../../operations/statements/list-columns.js';
import { describedType } from '../../types/described-type.js';
import { hasErrorIn } from '../error-spans.js';
import { rule } from '../rule.js';

/** Reports filters without a list, and invalid sources and names of filters. */
export const filterWithoutOrder = rule(
  {
    'filter-without-order': error({}, (p: { isOfRequest: boolean }) => ({
      message: p.isOfRequest
        ? "'filter' is for the rows of a database, but this fulfillment calls a third-party API."
        : "'filter' needs 'order'.",
      hint: p.isOfRequest
        ? "Remove 'filter'."
        : 'Filtered rows need a definite order: order: { allow: { newest: created DESC }, default: newest, key: id }',
    })),
    'filter-from': ordinaryError(
      { instead: 'word', function: 'text' },
      /** `function` is the user function whose result is never an object; empty for another expression. */
      (p: { instead: string; function: string }) =>
        p.function === ''
          ? {
              message: 'A filter reads the query, a parameter or the body of the request.',
              hint: `Write ${p.instead} for the query parameters, a part of the body, or a function that returns conditions.`,
            }
          : {
              message: `A filter is an object with conditions, but the function '${p.function}' never returns an object.`,
              hint: 'Declare its result as an object: returns: { type: object, nullable: true }',
            },
    ),
    'filter-name': error(
      { name: 'text', read: 'text' },
      /** `read` is the expression that reads the name; empty for a name with brackets. */
      (p: { name: string; read: string }) => ({
        message:
          p.read === ''
            ? `A filter cannot have the name '${p.name}': brackets separate a name from its operator.`
            : `'${p.name}' is a filter, but ${p.read} reads it, too.`,
        hint:
          p.read === ''
            ? "Remove the brackets. Filters with a common name are read with 'from': QUERY(filter) reads ?filter[status]=open."
            : 'Rename the filter, so that each value has one meaning.',
      }),
    ),
  },
  ({ analysis, report }) => ({
    fulfillment: (fulfillment, { operation }) => {
      if (!('instructions' in fulfillment) || fulfillment.filter === undefined) return;
      const { filter, order, fields } = fulfillment;
      const span = fields.get('filter');
      const isOfRequest = analysis.datasource(fulfillment.datasource.value)?.type === 'rest';
      if (span !== undefined && (isOfRequest || (order === undefined && !fields.has('order'))))
        report('filter-without-order', span, { isOfRequest });
      const { from } = filter;
      if (from === undefined || hasErrorIn(analysis, from.span)) return;
      const instead = operation.syntax === 'A' ? 'QUERY()' : 'query';
      if (from.kind === 'code') {
        const returns = analysis.functionReturns(from.function);
        if (returns !== undefined && !describedType(returns).kinds.has('object'))
          report('filter-from', from.span, { instead, function: from.function });
        return;
      }
      if (!isOfRequestPart(from)) {
        report('filter-from', from.span, { instead, function: '' });
        return;
      }
      const beside = namesBeside(filter, operation, analysis.config.operations);
      // QUERY() does not contain API keys.
      const keys = from.kind === 'query-map' ? keyParameters(analysis.config) : new Set<string>();
      for (const { name } of filter.allow) {
        const other = beside.read.get(name.value);
        const reader = other === undefined ? undefined : printExpression(other, operation.syntax);
        const read = reader ?? (keys.has(name.value) ? 'an authentication' : undefined);
        const hasBrackets = /[[\]]/.test(name.value);
        if (hasBrackets || read !== undefined)
          report('filter-name', name.span, { name: name.value, read: hasBrackets ? '' : (read ?? '') });
      }
    },
  }),
);

function isOfRequestPart(from: Expression): boolean {
  return (
    from.kind === 'query-map' ||
    from.kind === 'param' ||
    from.kind === 'body' ||
    (from.kind === 'sent' && from.place === 'query')
  );
}

/** Reports columns that a filter cannot compare, and operators that their types do not have. */
export const unknownFilterColumn = rule(
  {
    'unknown-filter-column': error(
      { name: 'text', names: 'text', nearest: 'suggestion' },
      (p: { name: string; names: readonly string[]; nearest: string | undefined; isGrouped: boolean }) => ({
        message: `The statement has no column '${p.name}'.`,
        ...meantOr(
          p.nearest,
          `${p.names.length === 0 ? '' : `Its columns are ${quotedList(p.names)}. `}${p.isGrouped ? `Add the expression of the condition to SELECT and GROUP BY, or select an aggregate of it with a name: max(created) AS newest. Rows are filtered after GROUP BY.` : 'Select the expression of the condition with a name: kind.name AS kind.'}`,
        ),
        isSuggestion: true,
      }),
    ),
    'filter-type': error(
      { problem: 'sentence', hint: 'sentence' },
      ({ problem, hint }: { problem: string; hint: string }) => ({ message: `${problem}.`, hint }),
    ),
    'filter-operator': error(
      { problem: 'sentence', hint: 'sentence' },
      ({ problem, hint }: { problem: string; hint: string }) => ({ message: `${problem}.`, hint }),
    ),
  },
  ({ analysis, report }) => ({
    statement: (statement, { fulfillment }) => {
      const description = analysis.descriptionOf(statement);
      for (const one of fulfillment.filter?.allow ?? []) {
        const found = listColumn(one.column, statement, description);
        if ('names' in found) {
          const { name } = one.column;
          const { names } = found;
          const isGrouped = clauseOf(statement.pieces.tree.main, 'GROUP') !== undefined;
          report('unknown-filter-column', one.column.span, {
            ...{ name, names, nearest: nearest(name, names), isGrouped },
          });
          continue;
        }
        const typeFault = typeProblem(one, found, statement);
        if (typeFault !== undefined)
          report('filter-type', one.fields.get('type') ?? one.column.span, typeFault);
        const operatorFault =
          typeFault === undefined ? operatorProblem(one, statement, description) : undefined;
        if (operatorFault !== undefined)
          report('filter-operator', one.fields.get(operatorFault.field) ?? one.name.span, {
            ...{ problem: operatorFault.problem, hint: operatorFault.hint },
          });
      }
    },
  }),
);

interface Problem {
  readonly problem: string;
  readonly hint: string;
}

function typeProblem(
  { column, type, name }: FilterName,
  { described }: ListColumn,
  statement: SqlStatement,
): Problem | undefined {
  if (described === undefined)
    return type === undefined
      ? {
          problem: `The type of '${column.name}' is unknown`,
          hint: `Write it: ${name.value}: { column: ${column.name}, type: string }. With ${statement.dialect === 'mysql' ? '--database' : 'a schema of the database'}, it is known.`,
        }
      : undefined;
  const known = typeOfColumn(described, statement);
  if (known === undefined) {
    const { name: sqlType, element } = described.type;
    return {
      problem: `Rows cannot be filtered by '${column.name}', which is ${element === undefined ? `of type ${sqlType}` : 'an array'}`,
      hint: 'Select one value of it, with a name and a cast.',
    };
  }
  const isNarrower = known.type === 'number' && type === 'integer';
  if (type === undefined || type === known.type || isNarrower) return undefined;
  return {
    problem: `'${column.name}' is of type ${described.type.name}, not ${type}`,
    hint: `Remove 'type', or write ${known.type}.`,
  };
}

function operatorProblem(
  one: FilterName,
  statement: SqlStatement,
  description: Description | undefined,
): (Problem & { readonly field: 'operators' | 'plain' | 'separator' }) | undefined {
  const { operators, isPlain, separator } = one;
  if (isPlain && operators.length > 1)
    return {
      field: 'plain',
      problem: `A plain filter has one operator, but '${one.name.value}' has ${operators.length}`,
      hint: 'Write a filter with a different name for each operator.',
    };
  if (separator !== undefined && !operators.includes('in'))
    return {
      field: 'separator',
      problem: `'separator' separates the values of 'in', which '${one.name.value}' does not have`,
      hint: `Remove 'separator', or add 'in' to the operators: operators: [${[...operators, 'in'].join(', ')}]`,
    };
  const type = typeOfFilter(one, statement, description);
  const possible: readonly FilterOperator[] = type === undefined ? operators : operatorsOf(type);
  const wrong = operators.filter((operator) => !possible.includes(operator));
  if (type === undefined || wrong.length === 0) return undefined;
  const what = type.isEnum ? 'an enum' : `a value of type ${type.type}`;
  return {
    field: 'operators',
    problem: `${quotedList(wrong)} cannot compare ${what}`,
    hint: `Its operators are ${possible.join(', ')}.`,
  };
}

/** Reports filters by columns that no response sends, whose values clients could find out by trying. */
export const filterOracle = rule(
  {
    'filter-oracle': error(
      { column: 'text', name: 'text', caller: 'text' },
      /** `caller` is the endpoint that calls the operation of the filter; empty for the operation itself. */
      (p: { column: string; name: string; caller: string }) => ({
        message: `No response${p.caller === '' ? '' : ` of '${p.caller}', which calls this operation,`} sends '${p.column}', but the filter '${p.name}' reveals its values: clients can try one after the other.`,
        hint: `Send '${p.column}' in a response, or remove the filter.`,
      }),
    ),
  },
  ({ analysis, report }) => ({
    statement: (statement, { fulfillment, analyzed }) => {
      if (fulfillment.filter === undefined) return;
      const description = analysis.descriptionOf(statement);
      const endpoints = sentColumns(analysis, analyzed, fulfillment);
      const isSent = (column: OrderColumn, { columns }: SentResult): boolean => {
        const found = listColumn(column, statement, description);
        return columns === 'all' || 'names' in found || columns.has(found.name);
      };
      for (const { column, name } of fulfillment.filter.allow) {
        const silent = endpoints.find((endpoint) => !isSent(column, endpoint));
        if (silent === undefined) continue;
        const caller = silent.by === analyzed ? '' : silent.by.operation.name.value;
        report('filter-oracle', column.span, { column: column.name, name: name.value, caller });
      }
    },
  }),
);
