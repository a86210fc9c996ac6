/** Statements of loops that are sent one by one, and why. */
import type {
  DataStep,
  LoopStep,
  OperationPlan,
  StatementPlan,
  StepPlan,
} from '../../generate/plan/operation-plan.js';
import { callsFunction, longestChain, valuesAndCondition } from '../../generate/plan/statements/overlap.js';
import { loopsIn, whyInTurn } from '../../generate/plan/statements/sent-loops.js';
import type { ExplainedOverlap } from './explained.js';

/** One entry per loop, except loops with concurrent iterations. */
export function inTurnOf({ steps, overlap, transaction }: OperationPlan): ExplainedOverlap[] {
  return loopsIn(steps).flatMap((loop): ExplainedOverlap[] => {
    if (overlap.loops.has(loop) || overlap.sent.has(loop) || (loop.concurrency > 1 && !transaction))
      return [];
    const statements = loop.steps.flatMap(statementsOf);
    if (statements.length === 0) return [];
    const text = `for each element of '${loop.fulfillment}': ${reasonOf(loop, statements, transaction)}`;
    return [{ kind: 'one by one', of: statements.map(({ step }) => step.fulfillment), text }];
  });
}

interface LoopStatement {
  readonly step: DataStep;
  readonly statement: StatementPlan;
}

function statementsOf(step: StepPlan): LoopStatement[] {
  if (step.kind !== 'data') return [];
  const [choice] = step.choices;
  return choice?.action.kind === 'statement' ? [{ step, statement: choice.action }] : [];
}

function reasonOf(loop: LoopStep, statements: readonly LoopStatement[], transaction: boolean): string {
  if (transaction) return whyInTurn(loop) ?? 'traces show one statement after the other';
  const reads = statements.filter(({ statement }) => statement.use === 'READ');
  if (reads.length === 0) return 'each change is committed before the next, which is not made if one fails';
  const isBroken = [loop, ...loop.steps].some(({ loopbreak }) => loopbreak.length > 0);
  if (isBroken) return "elements after 'loopbreak' must not be read";
  const other = loop.steps.find((step) => !reads.some((read) => read.step === step));
  if (other?.kind === 'loop') return `'${other.fulfillment}' is a nested loop`;
  if (other !== undefined) return `'${other.fulfillment}' may change what the next element reads`;
  const changing = reads.find(({ statement }) => !statement.sql.retry);
  if (changing !== undefined) return `'${changing.step.fulfillment}' may change something`;
  if (reads.some(({ statement }) => statement.list !== undefined)) return 'a request chooses the order';
  const calling = reads.find((read) => valuesAndCondition(read).some(callsFunction));
  if (calling !== undefined) return `'${calling.step.fulfillment}' calls a function of user code`;
  const [first] = reads;
  if (reads.some(({ statement }) => statement.datasource !== first?.statement.datasource))
    return 'the statements use several databases';
  if (reads.every(({ step }) => !step.isReadHere && !step.isReadLater)) return 'the result is never read';
  if (reads.length > longestChain) return `of more than ${longestChain} reads, some need rows of others`;
  return "an 'if', an instruction or a value is known only when it is their turn";
}
