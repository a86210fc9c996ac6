/** Values of rows that may be missing, in responses that do not expect null. */
import type { DataFulfillment, Operation, Schema } from '../../../read/config/config-model.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { words } from '../../../read/diagnostics/marks.js';
import type { Edit } from '../../../read/diagnostics/fix.js';
import type { Expression } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import type { ApiSchema } from '../../../read/openapi/api-model.js';
import { isNullable, isOneSchema } from '../../../read/openapi/schema-part.js';
import { startOfLine, type Span } from '../../../read/source.js';
import { yaml } from '../../../notation/yaml-writer.js';
import { describedBody } from '../../mapping/described.js';
import { reasonForNoRow } from '../../operations/statements/certain-rows.js';
import { typeAt } from '../../types/infer.js';
import { rowRead } from '../../types/row-read.js';
import type { Flow } from '../../types/flow.js';
import { rule } from '../rule.js';

type ValueOfResult = Extract<Expression, { kind: 'value' }>;

interface RowValue {
  readonly value: ValueOfResult;
  /** As a message begins with it. */
  readonly field: string;
  readonly described: ApiSchema | undefined;
}

/** Why a result may have no row, and what to write against it. */
interface NoRow {
  readonly reason: 'not found' | 'left out';
  readonly fulfillment: string;
  /** The condition that there is no row. */
  readonly condition: string;
  /** Whether an API description does not allow null; without one the value is null without a word. */
  readonly isDescribed: boolean;
  /** The exception, where the fulfillment has none. */
  readonly edits: readonly Edit[];
  /** Other values of the same row. */
  readonly others: readonly Span[];
}

export const missingRow = rule(
  {
    'missing-row': warning(
      { field: 'text', reason: words('not found', 'left out'), fulfillment: 'text', condition: 'text' },
      ({ field, reason, fulfillment, condition, isDescribed, edits, others }: NoRow & { field: string }) => ({
        message: `${field} is null ${
          reason === 'not found'
            ? `where '${fulfillment}' finds no row`
            : `where '${fulfillment}' inserts no row because of a conflict`
        }${isDescribed ? ', but the API description does not allow it' : ''}.`,
        hint: `Add an exception with \`if: ${condition}\` and status ${reason === 'not found' ? 404 : 409} to '${fulfillment}'${isDescribed ? ', or allow null in the description' : ', or read the row that is there'}.`,
        edits,
        isSuggestion: true,
        isOfOperation: true,
        related: others.map((span) => ({ span, message: 'also null then' })),
      }),
    ),
  },
  ({ report }) => ({
    response: (response, { operation, analyzed }) => {
      const { schema } = response;
      if (schema === undefined || !(response.default || response.if !== undefined)) return;
      const body = describedBody(response, analyzed.endpoint);
      const byName = new Map<string, RowValue[]>();
      for (const found of rowValues('The response', schema, body, analyzed.flow)) {
        const { name } = found.value;
        byName.set(name, [...(byName.get(name) ?? []), found]);
      }
      for (const [name, values] of byName) {
        const fulfillment = operation.fulfillments.find((one) => one.name.value === name);
        const reason = fulfillment && reasonForNoRow(fulfillment, operation);
        if (fulfillment === undefined || reason === undefined || !('instructions' in fulfillment)) continue;
        // Without a description null may be meant, but hardly that of a row which was not inserted.
        const wrong = values.filter(({ described }) =>
          described === undefined ? reason === 'left out' : isOneSchema(described) && !isNullable(described),
        );
        const [first, ...others] = wrong;
        if (first === undefined) continue;
        const condition = printExpression(noRow(first.value, operation), operation.syntax);
        report('missing-row', first.value.span, {
          ...{ field: first.field, reason, fulfillment: name, condition },
          isDescribed: first.described !== undefined,
          edits: exceptionIn(fulfillment, condition, reason),
          others: others.map(({ value }) => value.span),
        });
      }
    },
  }),
);

/** The values of a response that are null where the first row of a result is missing, and only there. */
function rowValues(field: string, node: Schema, described: ApiSchema | undefined, flow: Flow): RowValue[] {
  switch (node.kind) {
    case 'object':
      return node.fields.flatMap(({ key, value }) =>
        rowValues(`'${key}'`, value, described?.properties.get(key), flow),
      );
    // Elements are of rows that are there.
    case 'array':
      return [];
    case 'leaf': {
      const { value } = node;
      const read = value.kind === 'value' ? rowRead(value.path) : undefined;
      const environment = flow.environments.get(value);
      if (value.kind !== 'value' || read?.before !== 0 || environment === undefined) return [];
      const { isRows, kinds, element } = environment.result(value.name).type;
      if (isRows !== true || kinds.has('null') || element === undefined) return [];
      const isOnlyThen =
        flow.built.get(node)?.kinds.has('null') === true && !typeAt(element, read.rest).kinds.has('null');
      return isOnlyThen ? [{ value, field, described }] : [];
    }
  }
}

function noRow({ name, nameSpan, span }: ValueOfResult, { syntax }: Operation): Expression {
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

/** The exception before the statements of a fulfillment that has none, in the notation around it. */
function exceptionIn(
  { fields }: DataFulfillment,
  condition: string,
  reason: 'not found' | 'left out',
): Edit[] {
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
