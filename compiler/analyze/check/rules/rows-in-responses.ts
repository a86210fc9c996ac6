/** Reports values of possibly missing rows in responses that do not expect null. */
import type { DataFulfillment, Operation } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { allFulfillments } from '../../../read/config/walk.js';
import { words } from '../../../read/diagnostics/marks.js';
import type { Edit } from '../../../read/diagnostics/fix.js';
import type { Expression } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import { isNullable, isOneSchema } from '../../../read/openapi/schema-part.js';
import { startOfLine, type Span } from '../../../read/source.js';
import { yaml } from '../../../notation/yaml-writer.js';
import { reasonForNoRow, type ReasonForNoRow } from '../../operations/statements/certain-rows.js';
import { rowValues, type RowValue } from '../row-values.js';
import { rule } from '../rule.js';

/** The reason why a result may be empty, and the suggested exception. */
interface NoRow {
  readonly reason: ReasonForNoRow;
  readonly fulfillment: string;
  readonly operation: string;
  /** The condition that tests for a missing row. */
  readonly condition: string;
  /** True if the API description does not allow null. Without a description, null is returned silently. */
  readonly isDescribed: boolean;
  /** Edits that add the exception, if the fulfillment does not have any. */
  readonly edits: readonly Edit[];
  /** Other values of the same row. */
  readonly others: readonly Span[];
}

export const missingRow = rule(
  {
    'missing-row': warning(
      {
        field: 'text',
        reason: words('not found', 'left out'),
        fulfillment: 'text',
        operation: 'text',
        condition: 'text',
      },
      ({
        field,
        reason,
        fulfillment,
        operation,
        condition,
        isDescribed,
        edits,
        others,
      }: NoRow & { field: string }) => ({
        message: `${field} is null ${
          reason === 'not found'
            ? `if '${fulfillment}' finds no row`
            : `if '${fulfillment}' inserts no row because of a conflict`
        }${isDescribed ? ', but the API description does not allow it' : ''}.`,
        hint: `Add an exception with \`if: ${condition}\` and status ${reason === 'not found' ? 404 : 409} to '${fulfillment}'${isDescribed ? ', or allow null in the description' : ', or read the existing row'}.`,
        edits,
        isSuggestion: true,
        isOfOperation: true,
        ifShared: `This concerns '${fulfillment}' of '${operation}'.`,
        related: others.map((span) => ({ span, message: 'also null in that case' })),
      }),
    ),
  },
  ({ report }) => ({
    response: (response, { operation, analyzed }) => {
      if (!response.default && response.if === undefined) return;
      const byName = new Map<string, RowValue[]>();
      for (const found of rowValues(response, operation, analyzed)) {
        const { name } = found.value;
        byName.set(name, [...(byName.get(name) ?? []), found]);
      }
      const all = allFulfillments(operation.fulfillments).map(({ fulfillment }) => fulfillment);
      for (const [name, values] of byName) {
        const fulfillment = all.find((one) => one.name.value === name);
        const reason = fulfillment && reasonForNoRow(fulfillment, operation);
        if (fulfillment === undefined || reason === undefined || !('instructions' in fulfillment)) continue;
        // Without a description, null may be intended, but hardly for a row that was not inserted.
        const wrong = values.filter(({ described }) =>
          described === undefined ? reason === 'left out' : isOneSchema(described) && !isNullable(described),
        );
        const [first, ...others] = wrong;
        if (first === undefined) continue;
        const condition = printExpression(noRow(first.value, operation), operation.syntax);
        report('missing-row', first.value.span, {
          ...{ field: first.field, reason, fulfillment: name, operation: operation.name.value, condition },
          isDescribed: first.described !== undefined,
          edits: exceptionIn(fulfillment, condition, reason),
          others: others.map(({ value }) => value.span),
        });
      }
    },
  }),
);

function noRow({ name, nameSpan, span }: RowValue['value'], { syntax }: Operation): Expression {
  const rows: Expression = { kind: 'value', name, nameSpan, path: [], span };
  if (syntax === 'B')
    return {
      ...{ kind: 'comparison', operator: '==', left: { kind: 'result', name, nameSpan, span } },
      ...{ right: { kind: 'null', span }, span },
    };
  return {
    ...{ kind: 'comparison', operator: '==', left: { kind: 'size', of: rows, span } },
    ...{ right: { kind: 'number', value: 0, span }, span },
  };
}

/** Edits that insert the exception before the statements, in the surrounding YAML style, if the fulfillment does not have exceptions. */
function exceptionIn({ fields }: DataFulfillment, condition: string, reason: ReasonForNoRow): Edit[] {
  const key = fields.get('instructions') ?? fields.get('queries');
  if (key === undefined || fields.has('exceptions')) return [];
  const status = reason === 'not found' ? 404 : 409;
  const message = reason === 'not found' ? 'Not found' : 'Already there';
  const { source, start } = key;
  const before = source.text.slice(startOfLine(source, start), start);
  const text = /^ *(?:- +)?$/.test(before)
    ? [
        'exceptions:',
        `  - if: ${yaml.string(condition)}`,
        `    statuscode: ${status}`,
        `    message: ${message}`,
        '',
      ].join(`\n${' '.repeat(before.length)}`)
    : `exceptions: [{ if: ${yaml.quoted(condition)}, statuscode: ${status}, message: ${message} }], `;
  return [{ start, end: start, text }];
}
