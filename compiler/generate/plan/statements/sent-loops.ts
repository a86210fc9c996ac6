/** Loops in a transaction whose statements are sent for several elements without waiting in between, and why other loops are not. */
import type { Expression } from '../../../read/expression/ast.js';
import { contains } from '../../../read/expression/visit.js';
import type { LoopSent, LoopStep, ReadStep, StepPlan } from '../operation-plan.js';
import {
  areExpressionsOfElement,
  callsFunction,
  isTakenFrom,
  readsIndex,
  valuesAndCondition,
} from './overlap.js';

/** The loops among the steps of an operation with `transaction: true`. */
export function planSentLoops(steps: readonly StepPlan[]): ReadonlyMap<LoopStep, LoopSent> {
  return new Map(
    loopsIn(steps).flatMap((loop) => {
      if (whyInTurn(loop) !== undefined) return [];
      const statements = loop.steps.flatMap(statementOf);
      const isElementRead = statements.some(({ step }) => areExpressionsOfElement(step, loop));
      return [[loop, { statements, isElementRead }] as const];
    }),
  );
}

/** The loops among steps, including nested loops. */
export function loopsIn(steps: readonly StepPlan[]): LoopStep[] {
  return steps.flatMap((step) => (step.kind === 'loop' ? [step, ...loopsIn(step.steps)] : []));
}

/**
 * Why each statement of a loop in a transaction waits for the previous one, as printed by `explain`; undefined if statements do not wait.
 */
export function whyInTurn(loop: LoopStep): string | undefined {
  const statements = loop.steps.flatMap(statementOf);
  const other = loop.steps.find((step) => !statements.some((statement) => statement.step === step));
  if (other !== undefined) return whyNotOne(other);
  if (loop.concurrency > 1) return "it has 'concurrency'";
  if ([loop, ...loop.steps].some(({ loopbreak }) => loopbreak.length > 0))
    return "what comes after 'loopbreak' is not to be sent";
  if (new Set(statements.map(({ statement }) => statement.datasource)).size > 1)
    return 'they are in several databases';
  const inside = new Set(loop.steps.map(({ fulfillment }) => fulfillment));
  if (inside.size < statements.length) return 'two of them have the same name';
  if (statements.every(({ step }) => step.condition !== undefined)) return "all of them have an 'if'";
  for (const one of statements) {
    const why = whyInOrder(one, inside);
    if (why !== undefined) return `'${one.step.fulfillment}' ${why}`;
  }
  return undefined;
}

/** The statement of a step, if it has a single choice and no further logic. */
function statementOf(step: StepPlan): ReadStep[] {
  if (step.kind !== 'data' || step.choices.length !== 1) return [];
  const [choice] = step.choices;
  if (choice === undefined || choice.condition !== undefined || choice.action.kind !== 'statement') return [];
  return [{ step, statement: choice.action }];
}

function whyNotOne(step: StepPlan): string {
  const name = `'${step.fulfillment}'`;
  switch (step.kind) {
    case 'loop':
      return `${name} is a loop of its own`;
    case 'reference':
    case 'deferred':
      return `${name} calls an operation`;
    case 'code':
      return `${name} is user code`;
    case 'compute':
      return `${name} is a computed value`;
    case 'data':
      return step.choices.some(({ action }) => action.kind === 'request')
        ? `${name} sends a request`
        : `${name} has several instructions, or one with 'if'`;
  }
}

/** Statements that a rollback undoes completely. */
const verbs: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'SELECT', 'VALUES']);

function whyInOrder({ step, statement }: ReadStep, fulfillments: ReadonlySet<string>): string | undefined {
  const { sql, list } = statement;
  const ofMysql = sql.dialect === 'mysql' ? whyNotInBlock({ step, statement }) : undefined;
  if (ofMysql !== undefined) return ofMysql;
  if (sql.runsUnknownCode) return 'calls a function of the database that is not known';
  if (!sql.atomic || sql.changesSession || statement.isEnclosed || !verbs.has(sql.verb))
    return 'does more than read or change rows';
  if (list !== undefined) return 'has an order that a request chooses';
  const { condition } = step;
  const needed: readonly Expression[] = valuesAndCondition({ step, statement });
  if (needed.some((one) => isTakenFrom(one, fulfillments) || readsIndex(one, fulfillments)))
    return 'needs a result of the loop';
  if (sql.bindings.some((one) => contains(one, 'multipart-file'))) return 'stores a file';
  if (needed.some((one) => contains(one, 'list'))) return 'builds a list';
  if (needed.some(callsFunction)) return 'calls a function of user code';
  if (condition !== undefined && contains(condition, 'now', 'uuid')) return "has NOW or UUID in its 'if'";
  return undefined;
}

/** On MariaDB, a block reports neither rows nor numbers of rows. */
function whyNotInBlock({ step, statement }: ReadStep): string | undefined {
  if (statement.use === 'READ') return 'reads rows, which MariaDB sends one result at a time';
  if (step.isReadHere || step.isReadLater) return 'has a result that is read';
  if (step.condition !== undefined) return "has an 'if'";
  if (statement.text === undefined) return 'has a list of values';
  const text = statement.parts.map((part) => (part.kind === 'text' ? part.text : '?')).join('');
  return readsCounts.test(text) ? 'reads counts of the statement before' : undefined;
}

/** In a block, the statement before is one of the service. */
const readsCounts = /\b(?:row_count|found_rows)\s*\(|@@(?:\w+\s*\.\s*)?(?:warning|error)_count\b/i;
