/** Statements, requests and calls in loops that run once per element although a single one might suffice (N+1). */
import type { Expression } from '../../read/expression/ast.js';
import { inexpressible, printExpression } from '../../read/expression/print-expression.js';
import { costOf } from '../explain/call-costs.js';
import { loopBound } from '../explain/loop-bound.js';
import {
  allSteps,
  type ServiceView,
  type ViewedOperation,
  type ViewedStep,
} from '../explain/service-view.js';
import type { DatasourcePlan } from '../../generate/plan/plan.js';
import type { Risk } from './risk.js';
import { counted } from '../../read/diagnostics/quoted-list.js';
import { nodesIn } from '../../read/expression/visit.js';

type LoopView = ViewedStep & { readonly kind: 'loop' };
type DataView = ViewedStep & { readonly kind: 'data' };

export function repeatedCalls(view: ServiceView): Risk[] {
  return view.operations.flatMap((operation) =>
    allSteps(operation).flatMap(({ viewed, loops }): Risk | [] => {
      const loop = loops.at(-1);
      if (loop === undefined || (viewed.kind !== 'data' && viewed.kind !== 'reference')) return [];
      const { span } = viewed.checked.written.name;
      const count = countOf(loops, operation, view);
      if (viewed.kind === 'reference') {
        const { name } = viewed.step.called;
        const { databases, thirdParties } = costOf(view.called(name), view);
        const sent = [
          ...databases.map(
            ({ datasource, statements }) => `${datasource} (${counted(statements, 'statement')})`,
          ),
          ...thirdParties.map(({ datasource, calls }) => `${datasource} (${counted(calls, 'request')})`),
        ];
        if (sent.length === 0) return [];
        return {
          ...{ rule: 'repeated-call', severity: 'medium', span },
          message: `Calls '${name}' ${count}. Each call sends to ${sent.join(', to ')}.`,
          hint: `Pass the whole list to '${name}', and let its statements work on all of it.`,
        };
      }
      const datasource = view.datasourceOf(viewed.step);
      const actions = viewed.step.choices.map(({ action }) => action);
      // Mails after the commit are stored together, and no client waits for them.
      const isStored = actions.every((action) => action.kind === 'message' && action.isDelivered);
      return datasource === undefined || isStored
        ? []
        : { ...repeatedData(viewed, datasource, loop, count, operation), span };
    }),
  );
}

/** Describes how often a loop runs, such as `once for each element of BODY($.lines): at most 100 ('maxItems' of the API description)`. */
function countOf(loops: readonly LoopView[], operation: ViewedOperation, view: ServiceView): string {
  const bounds = loops.map((loop, index) => {
    const around = loops[index - 1]?.checked.written;
    return loopBound(loop.step.loop, around, operation, view);
  });
  const lists = loops.map(({ step }) => printExpression(step.loop, operation.plan.syntax)).reverse();
  const each = `once for each element of ${lists.join(', for each of ')}`;
  const numbers = bounds.map(({ constant, atMost }) => constant ?? atMost);
  const reasons = bounds.flatMap(({ constant, atMost, bound }) =>
    constant === undefined && (atMost === null || !numbers.includes(null)) ? [bound] : [],
  );
  if (numbers.includes(null)) return `${each}: as many as ${reasons.join(', times as many as ')}`;
  const max = numbers.reduce<number>((product, number) => product * (number ?? 0), 1);
  return `${each}: at most ${max}${reasons.length === 0 ? '' : ` (${reasons.join('; ')})`}`;
}

function repeatedData(
  { step, checked }: DataView,
  datasource: DatasourcePlan,
  loop: LoopView,
  count: string,
  operation: ViewedOperation,
): Omit<Risk, 'span'> {
  const rule = 'repeated-call';
  const { name } = checked.written;
  if (datasource.type === 'rest')
    return {
      ...{ rule, severity: 'medium' },
      message: `Sends '${name.value}' to ${datasource.name} ${count}.`,
      hint: mayOverlap(loop)
        ? "Send one request for all elements, if the API supports that. Otherwise let iterations overlap, with 'concurrency' on the loop."
        : 'Send one request for all elements, if the API supports that.',
    };
  if (datasource.type === 'smtp')
    return {
      ...{ rule, severity: 'low' },
      message: `Sends '${name.value}' by ${datasource.name} ${count}.`,
      hint: "Write 'deliver: afterCommit', so that no client waits for the mail server.",
    };
  const { loops, sent } = operation.plan.overlap;
  const isAhead = loops.has(loop.step) || sent.has(loop.step);
  const counts = limitsOf(checked);
  const lists = step.choices
    .flatMap(bindingsOf)
    .filter((value) => !counts.has(value))
    .flatMap((value) => listOf(value, loop, operation));
  const { concurrency } = loop.step;
  const concurrent = concurrency > 1 ? `; ${concurrency} at a time` : '; one after the other';
  const isRead = checked.written.type === 'READ';
  return {
    ...{ rule, severity: isAhead ? 'low' : 'medium' },
    message: `Sends '${name.value}' to ${datasource.name} ${count}${isAhead ? '; several at a time' : concurrent}.`,
    hint: isRead
      ? readAtOnce(lists)
      : needsIteration(step, loop)
        ? `Each change needs values that its iteration has read: ${mayOverlap(loop) ? "let iterations overlap, with 'concurrency' on the loop" : 'keep the list short'}.`
        : changeAtOnce([...new Set(lists)], datasource.dialect),
  };
}

/** Whether iterations may overlap. Loops that a condition may end run one iteration after another. */
function mayOverlap({ step }: LoopView): boolean {
  return step.concurrency === 1 && [step, ...step.steps].every(({ loopbreak }) => loopbreak.length === 0);
}

/** Whether a value or a condition depends on a result of the same iteration. */
function needsIteration({ condition, choices }: DataView['step'], { step }: LoopView): boolean {
  const inside = new Set(step.steps.map(({ fulfillment }) => fulfillment));
  const expressions = [condition, ...choices.flatMap((choice) => [choice.condition, ...bindingsOf(choice)])];
  return expressions
    .flatMap((expression) => (expression === undefined ? [] : nodesIn(expression)))
    .some((node) => (node.kind === 'value' || node.kind === 'status') && inside.has(node.name));
}

function bindingsOf({ action }: DataView['step']['choices'][number]): readonly Expression[] {
  return action.kind === 'statement' ? action.sql.bindings : [];
}

/** Values that limit the number of rows instead of selecting them. */
function limitsOf({ instructions }: DataView['checked']): ReadonlySet<Expression | undefined> {
  const nodes = instructions.flatMap(({ action }) =>
    action.kind === 'statement' ? action.statement.pieces.tree.nodes : [],
  );
  return new Set(
    nodes.flatMap((node) =>
      node.kind === 'placeholder' && /^(?:LIMIT|FETCH|OFFSET)$/.test(node.clause?.name ?? '')
        ? [node.expression]
        : [],
    ),
  );
}

function readAtOnce([list]: readonly string[]): string {
  return list === undefined
    ? 'Read all rows with one statement before the loop, and find them by their key.'
    : `Read all rows with one statement before the loop: … IN (:[${list}]).`;
}

function changeAtOnce(lists: readonly string[], dialect: 'postgresql' | 'mysql'): string {
  const [list] = lists;
  if (list === undefined) return 'Let one statement change all rows.';
  return dialect === 'postgresql'
    ? `Let one statement change all rows: … SELECT … FROM unnest(${lists.map((one) => `:[${one}]`).join(', ')}), each with the type of its column (::int[]).`
    : 'Let one statement change all rows: … SELECT … FROM JSON_TABLE(:[…], …) over the whole list.';
}

/** An expression for a value's list over all iterations, such as `BODY($.lines[*].product)`. */
function listOf(value: Expression, { step, checked }: LoopView, { plan }: ViewedOperation): string[] {
  const { loop } = step;
  const isElement =
    value.kind === 'element' || (value.kind === 'value' && value.name === checked.written.name.value);
  if (!isElement || (loop.kind !== 'value' && loop.kind !== 'body' && loop.kind !== 'param')) return [];
  const all: Expression = { ...loop, path: [...loop.path, { kind: 'all' }, ...value.path] };
  return inexpressible(all, plan.syntax) === undefined ? [printExpression(all, plan.syntax)] : [];
}
