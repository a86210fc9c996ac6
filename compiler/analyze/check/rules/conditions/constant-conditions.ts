/** Reports conditions with the same result for every call, and the parts that these make unreachable. */
import { nodesOf, reachedInstructions } from '../../../../read/config/walk.js';
import { ordinaryError, warning } from '../../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression, Syntax } from '../../../../read/expression/ast.js';
import { printExpression } from '../../../../read/expression/print-expression.js';
import { isNeverText } from '../../../types/infer.js';
import { nodesIn } from '../../../../read/expression/visit.js';
import { position, type Span } from '../../../../read/source.js';
import type { Analysis } from '../../../operations/analysis.js';
import { isDefault, type Decision } from '../../../types/conditions.js';
import { explain } from '../../../types/explain.js';
import { hasErrorIn } from '../../error-spans.js';
import { rule } from '../../rule.js';
import { words } from '../../../../read/diagnostics/marks.js';

/** Reports conditions that are never or always true, by themselves or because of earlier conditions, and `||` used for a default value. */
export const neverTrue = rule(
  {
    'never-true': warning({ first: 'fact', syntax: words('A', 'B') }, (p: Decided) =>
      explainVerdict('never', p),
    ),
    'always-true': warning({ first: 'fact', syntax: words('A', 'B') }, (p: Decided) =>
      explainVerdict('always', p),
    ),
    'or-as-default': ordinaryError({ instead: 'text' }, (p: { instead: string }) => ({
      message: '`||` joins conditions: its result is true or false, never one of its values.',
      hint: `For a default value write ${p.instead}. Compare values that are true or false: \`… == true || … == true\`.`,
      instead: p.instead,
      isSuggestion: true,
    })),
  },
  ({ analysis, report }) => {
    const decided = new Map<string, DecidedUses>();
    return {
      operation: ({ syntax }, { analyzed }) => {
        for (const decision of analyzed.flow.decisions) {
          const { span } = decision.condition;
          // An expression with errors may not have been read as intended.
          if (hasErrorIn(analysis, span)) continue;
          const uses = decided.get(keyOf(span)) ?? { first: decision, syntax, same: new Set() };
          decided.set(keyOf(span), uses);
          if (decision.verdict === uses.first.verdict) uses.same.add(decision.condition);
        }
      },
      end: () => {
        const uses = usesOf(analysis, decided);
        const defaults = new Set([...decided].flatMap(([key, { first }]) => (isDefault(first) ? [key] : [])));
        for (const [key, { first, syntax, same }] of decided) {
          // In other uses by aliases, the condition may have a different result.
          if (uses.get(key)?.some((use) => !same.has(use)) === true) continue;
          const { condition, verdict, environment } = first;
          if (isDefault(first))
            report('or-as-default', condition.span, { instead: withDefault(condition, syntax) });
          // LENGTH of a list has been reported: SIZE may be intended.
          else if (
            nodesIn(condition).some((node) => node.kind === 'length' && isNeverText(node.of, environment))
          )
            continue;
          // Without the incorrect `||`, the result may be different.
          else if (nodesIn(condition).some((node) => defaults.has(keyOf(node.span)))) continue;
          else report(verdict === 'never' ? 'never-true' : 'always-true', condition.span, { first, syntax });
        }
      },
    };
  },
);

/** COALESCE of the operands of `||`. */
function withDefault(condition: Expression, syntax: Syntax): string {
  const values = (node: Expression): Expression[] =>
    node.kind === 'logical' && node.operator === '||'
      ? [...values(node.left), ...values(node.right)]
      : [node];
  return printExpression({ kind: 'coalesce', parts: values(condition), span: condition.span }, syntax);
}

/** The first decision about a condition. */
interface Decided {
  readonly first: Decision;
  readonly syntax: Syntax;
}

/** A decided condition, and the uses with the same result. */
interface DecidedUses extends Decided {
  readonly same: Set<Expression>;
}

/** Computed when printing, because a cached operation may have moved since the rule visited it. */
function explainVerdict(
  verdict: Decision['verdict'],
  { first, syntax }: Decided,
): { message: string; hint: string } {
  const { reason, hint } = explain(first, syntax);
  return { message: `This condition is ${verdict} true: ${reason}.`, hint };
}

/** All uses of the decided conditions. */
function usesOf(analysis: Analysis, decided: ReadonlyMap<string, unknown>): Map<string, Expression[]> {
  const found = new Map<string, Expression[]>();
  if (decided.size === 0) return found;
  for (const operation of analysis.config.operations)
    for (const node of nodesOf(operation)) {
      const key = keyOf(node.span);
      if (decided.has(key)) found.set(key, [...(found.get(key) ?? []), node]);
    }
  return found;
}

function keyOf({ source, start, end }: Span): string {
  return `${source.path} ${start} ${end}`;
}

/** Reports instructions after one without a condition, which always matches. */
export const unreachableInstruction = rule(
  {
    'unreachable-instruction': warning(
      { what: 'sentence' },
      (p: { what: string; behind: Span; count: number }) => ({
        message: `${p.count === 1 ? `This ${p.what} is` : `This ${p.what} and those below it are`} never reached: the one in line ${position(p.behind.source, p.behind.start).line} has no 'if'.`,
        hint: `Give that one an 'if', or move it to the end.`,
      }),
    ),
  },
  ({ report, hasErrors }) => {
    const found: (() => void)[] = [];
    return {
      fulfillment: (fulfillment, { operation }) => {
        if (fulfillment.type !== 'READ' && fulfillment.type !== 'UPDATE') return;
        const reached = reachedInstructions(fulfillment);
        const [first, ...others] = fulfillment.instructions.slice(reached.length);
        const last = reached.at(-1);
        if (first === undefined || last === undefined) return;
        found.push(() => {
          report('unreachable-instruction', first.span, {
            what: operation.syntax === 'A' ? 'instruction' : 'query',
            behind: last.span,
            count: others.length + 1,
          });
        });
      },
      end: () => {
        // An unreadable condition would also be missing.
        if (!hasErrors()) for (const reportIt of found) reportIt();
      },
    };
  },
);
