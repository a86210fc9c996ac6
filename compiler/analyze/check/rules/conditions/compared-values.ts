/** Reports values in comparisons and conditions whose meaning depends on an unknown type. */
import { warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression } from '../../../../read/expression/ast.js';
import { inexpressible, printExpression } from '../../../../read/expression/print-expression.js';
import { nodesIn } from '../../../../read/expression/visit.js';
import type { Span } from '../../../../read/source.js';
import { typeOf } from '../../../types/infer.js';
import { missingField } from '../../../types/missing-field.js';
import { isOfTimes, unknownTime } from '../../../types/meaning.js';
import { isAnything } from '../../../types/value-type.js';
import type { Environment } from '../../../types/visible-values.js';
import { hasErrorIn } from '../../error-spans.js';
import { readOf } from '../../read-path.js';
import { rule } from '../../rule.js';
import { words } from '../../../../read/diagnostics/marks.js';

/** The source of a value, which determines the hint. */
type Source = 'constant' | 'request' | 'other';

const timeHints: Readonly<Record<Source, string>> = {
  constant: 'Write a date or a timestamp, such as 2026-01-31 or 2026-01-31T12:00:00Z.',
  request:
    'Declare it with `format: date-time` or `format: date` in the API description: then a request with another string is refused.',
  other:
    'Select it as a timestamp, with a cast if it is a string, and let the compiler read the types of columns (schema, --database). Or compare the two in SQL.',
};

export const timeAsText = rule(
  {
    'time-as-text': warning(
      { written: 'text', time: 'text', source: words('constant', 'request', 'other') },
      (p: { written: string; time: string; source: Source; within: Span }) => ({
        message: `${p.written} is compared with the time ${p.time}, but may not be a time.`,
        hint: `A string that is not a time is never equal to a time, nor before or after it. ${timeHints[p.source]}`,
        subject: JSON.stringify([p.within.start, p.written, p.time]),
      }),
    ),
  },
  ({ report }) => ({
    operation: ({ syntax, name }, { analyzed }) => {
      const seen = new Set<Expression>();
      for (const { expression, environment } of analyzed.flow.evaluations)
        for (const node of nodesIn(expression)) {
          if (node.kind !== 'comparison' || seen.has(node)) continue;
          seen.add(node);
          const { left, right } = node;
          const [one, other] = [typeOf(left, environment), typeOf(right, environment)];
          if (!isOfTimes(one, other)) continue;
          const unknown = unknownTime(one, other);
          if (unknown === undefined) continue;
          const [value, time] = unknown === 'left' ? [left, right] : [right, left];
          report('time-as-text', value.span, {
            written: printExpression(value, syntax),
            time: printExpression(time, syntax),
            source: sourceOf(value),
            within: name.span,
          });
        }
    },
  }),
);

function sourceOf({ kind }: Expression): Source {
  if (kind === 'text') return 'constant';
  return kind === 'param' || kind === 'sent' || kind === 'query-map' || kind === 'body' ? 'request' : 'other';
}

export const unknownCondition = rule(
  {
    'unknown-condition': warning(
      { written: 'text', isTrue: 'text', isOne: 'text' },
      (p: { written: string; isTrue: string; isOne: string; within: Span }) => ({
        message: `${p.written} is used as a condition, but may be neither true nor false.`,
        hint: `The number 1, which MySQL and many APIs return for true, counts as false here. Write ${p.isTrue} for true, or ${p.isOne} for a number.`,
        subject: JSON.stringify([p.within.start, p.written]),
      }),
    ),
  },
  ({ analysis, report }) => ({
    operation: ({ syntax, name }, { analyzed: { flow } }) => {
      const seen = new Set<Expression>();
      // For a `||` that was meant as a default, the whole expression is reported.
      const defaults = new Set(
        flow.decisions.flatMap(({ condition, site }) => (site === 'value' ? nodesIn(condition) : [])),
      );
      for (const { expression, environment, isCondition } of flow.evaluations)
        for (const value of conditionsIn(expression, isCondition)) {
          if (seen.has(value) || defaults.has(value) || !isUnknown(value, environment)) continue;
          if (hasErrorIn(analysis, value.span)) continue;
          seen.add(value);
          const { span } = value;
          const equals = (right: Expression): string =>
            printExpression({ kind: 'comparison', operator: '==', left: value, right, span }, syntax);
          if (inexpressible(value, syntax) !== undefined) continue;
          report('unknown-condition', span, {
            written: printExpression(value, syntax),
            isTrue: equals({ kind: 'boolean', value: true, span }),
            isOne: equals({ kind: 'number', value: 1, span }),
            within: name.span,
          });
        }
    },
  }),
);

/** The expressions used as conditions: the whole expression if it is a condition, and operands of `&&`, `||` and `!`. */
function conditionsIn(expression: Expression, isCondition: boolean): Expression[] {
  const operands = nodesIn(expression).flatMap((node) => {
    if (node.kind === 'logical') return [node.left, node.right];
    return node.kind === 'not' ? [node.operand] : [];
  });
  return isCondition ? [expression, ...operands] : operands;
}

/**
 * Kinds of values with an unknown type. Parameters and headers are strings unless described otherwise, and the string `true` counts as
 * true.
 */
const ofData: ReadonlySet<Expression['kind']> = new Set([
  ...(['value', 'element', 'value-by-index', 'body', 'caller', 'result', 'coalesce'] as const),
]);

function isUnknown(value: Expression, environment: Environment): boolean {
  if (!ofData.has(value.kind)) return false;
  const read = readOf(value, environment);
  if (read !== undefined && missingField(read.type, read.path) !== undefined) return false;
  const type = typeOf(value, environment);
  return isAnything(type) && (type.claim === undefined || isAnything(type.claim.type));
}
