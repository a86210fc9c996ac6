/** `apikiln explain` for one operation: its steps, costs and statuses, from its plan and the types of its data. */
import type { RequestLimit } from '../../read/config/config-model.js';
import { databasesOf } from '../../analyze/operations/idempotency.js';
import { limitsOfRequests, limitText, timeText } from '../../analyze/operations/limits.js';
import { referencesOf } from '../../read/config/walk.js';
import { printExpression } from '../../read/expression/print-expression.js';
import { replicaVariable } from '../../generate/plan/environment.js';
import type { AcceptedPlan } from '../../generate/plan/access.js';
import type {
  LoopAhead,
  LoopSent,
  LoopStep,
  OperationPlan,
  OverlapPlan,
} from '../../generate/plan/operation-plan.js';
import { costOf, elementsAtOnce, mostAtOnce } from './call-costs.js';
import { explainModels } from './explain-models.js';
import { explainExceptions, explainSteps } from './explain-steps.js';
import type { ExplainedOverlap, ExplainedStep, ExplainedOperation } from './explained.js';
import { inTurnOf } from './in-turn.js';
import { separatedRequests } from './separated-requests.js';
import { replicaReads } from './replica-reads.js';
import { annotationsOf } from '../../analyze/describe/tools.js';
import type { ServiceView, ViewedOperation } from './service-view.js';
import { statusesOf } from './statuses.js';

export function explainOperation(operation: ViewedOperation, view: ServiceView): ExplainedOperation {
  const { plan, checked } = operation;
  const file = checked.operation.name.span.source.includedAs;
  const limits = limitsOfRequests(checked.operation, view.analysis.config);
  const cookies = view.plan.knownPages.get(plan.name);
  const cost = costOf(operation, view);
  const steps = explainSteps(operation, view);
  return {
    operation: plan.name,
    ...(file === undefined ? {} : { file }),
    syntax: plan.syntax,
    startedBy: {
      requests: plan.endpoint !== undefined,
      timers: plan.triggers.map(({ trigger, cron, timezone }) => ({
        trigger,
        cron,
        timezone: timezone ?? null,
      })),
      operations: callersOf(plan.name, view),
    },
    access: accessOf(operation, view),
    ...(cookies === undefined ? {} : { knownPages: { cookies } }),
    ...(limits.length === 0 ? {} : { limits: limits.map(countedText) }),
    ...idempotencyOf(operation, view),
    ...toolOf(operation, view),
    transaction: plan.transaction ? 'own' : 'none',
    exceptions: explainExceptions(plan.exceptions, plan.syntax),
    steps,
    overlaps: [
      ...transactionOf(
        plan.transaction,
        cost.databases.map(({ datasource }) => datasource),
      ),
      ...overlapsOf(plan.overlap),
      ...inTurnOf(plan),
      ...separatedRequests(operation, view),
      ...streamOf(plan),
      ...concurrentLoops(steps, plan.transaction),
    ],
    replicas: plan.transaction
      ? []
      : replicaReads(plan.name, steps, replicaVariable, (name) => {
          const called = view.called(name);
          return called.plan.transaction ? undefined : explainSteps(called, view);
        }),
    cost,
    statuses: statusesOf(operation, view),
    models: explainModels(plan),
  };
}

/** The key in words, with the database that stores the responses. */
function idempotencyOf(
  { checked }: ViewedOperation,
  { analysis }: ServiceView,
): Pick<ExplainedOperation, 'idempotency'> {
  const { operation } = checked;
  const { idempotency, syntax } = operation;
  if (idempotency?.key === undefined) return {};
  const [database] = databasesOf(analysis.withCalled(operation), analysis.config);
  const key = printExpression(idempotency.key, syntax);
  const words = `${key}${idempotency.isRequired ? ', required' : ''}; ${database?.name.value ?? ''} keeps the response for ${timeText(idempotency.keep)}`;
  return { idempotency: words };
}

function toolOf(
  { checked }: ViewedOperation,
  { analysis: { config } }: ServiceView,
): Pick<ExplainedOperation, 'tool'> {
  const { operation } = checked;
  const byName = new Map(config.operations.map((one) => [one.name.value, one]));
  return operation.tool?.name === undefined
    ? {}
    : { tool: { name: operation.tool.name.value, hints: annotationsOf(operation, byName) } };
}

/** A limit in words, with the database in which it costs a statement. */
function countedText(limit: RequestLimit): string {
  return `${limitText(limit)}${limit.store === undefined ? '' : `, counted in ${limit.store.value}`}`;
}

function callersOf(name: string, { operations }: ServiceView): string[] {
  return operations
    .filter(({ checked }) =>
      referencesOf(checked.operation).some(({ operationName }) => operationName.value === name),
    )
    .map(({ plan }) => plan.name);
}

function accessOf({ plan }: ViewedOperation, view: ServiceView): ExplainedOperation['access'] {
  if (plan.endpoint === undefined) return null;
  const access = view.plan.access.get(plan.name) ?? [];
  const names = access.map(accessText);
  const isOptional = access.some((one) => one.isOptional);
  return names.length === 0 ? 'anyone' : [...names, ...(isOptional ? ['nobody'] : [])];
}

/** An authentication with the operation that finds its callers, and its scopes: `users (found by 'find session') with orders:write`. */
function accessText({ name, scopes, operation }: AcceptedPlan): string {
  const found = operation === undefined ? name : `${name} (found by '${operation.name}')`;
  return scopes.length === 0 ? found : `${found} with ${scopes.join(' and ')}`;
}

function transactionOf(transaction: boolean, databases: readonly string[]): ExplainedOverlap[] {
  if (!transaction || databases.length === 0) return [];
  return [{ kind: 'one transaction', of: databases, text: 'one transaction for each of these databases' }];
}

function overlapsOf({ together, loops, requests, sent }: OverlapPlan): ExplainedOverlap[] {
  return [
    ...[...together.values()].map((reads): ExplainedOverlap => ({
      kind: 'one round trip',
      of: reads.map(({ step }) => step.fulfillment),
      text: 'sent together, on one connection',
    })),
    ...[...loops].map(([loop, ahead]): ExplainedOverlap => ({
      kind: 'sent ahead',
      of: ahead.reads.map(({ step }) => step.fulfillment),
      text: aheadText(loop, ahead),
    })),
    ...[...requests.values()].map((group): ExplainedOverlap => ({
      kind: 'at the same time',
      of: group.map(({ fulfillment }) => fulfillment),
      text: 'requests sent at the same time',
    })),
    ...[...sent].map(([loop, one]): ExplainedOverlap => ({
      kind: 'sent ahead',
      of: one.statements.map(({ step }) => step.fulfillment),
      text: sentText(loop, one),
    })),
  ];
}

function sentText({ fulfillment }: LoopStep, { statements }: LoopSent): string {
  const first = statements.length === 1 ? 'the first one' : `the ${statements.length} of its first element`;
  const rest =
    statements[0]?.statement.sql.dialect === 'mysql' ? ', the last ones up to 8 together or alone' : '';
  return `up to ${mostAtOnce(statements)} statements of '${fulfillment}' are sent together, after ${first}${rest}`;
}

function aheadText({ fulfillment }: LoopStep, { reads, isChain }: LoopAhead): string {
  const [first] = reads;
  const areAtOnce = isChain || reads.length === 1;
  if (first === undefined || !areAtOnce || reads.every(({ statement }) => statement.each === undefined))
    return `up to 32 are sent before '${fulfillment}' reaches them`;
  const text = `up to ${elementsAtOnce(first.statement)} elements of '${fulfillment}' are read together`;
  const apart = reads.filter(({ statement }) => statement.each === undefined);
  const names = apart.map(({ step }) => step.fulfillment).join(', ');
  return `${text}${isChain ? ', one read after the other' : ''}${apart.length === 0 ? '' : `; of ${names} up to 32 are sent before it`}`;
}

function streamOf({ streamed }: OperationPlan): ExplainedOverlap[] {
  if (streamed === undefined) return [];
  const text = 'the response is written while its rows arrive, on a separate connection';
  return [{ kind: 'written while read', of: [streamed.fulfillment], text }];
}

function concurrentLoops(steps: readonly ExplainedStep[], transaction: boolean): ExplainedOverlap[] {
  return steps.flatMap((step): ExplainedOverlap[] => {
    if (step.kind !== 'loop') return [];
    const inside = concurrentLoops(step.steps, transaction);
    if (step.concurrency === 1 || transaction) return inside;
    const of = step.steps.map(({ fulfillment }) => fulfillment);
    const text = `up to ${step.concurrency} iterations of '${step.fulfillment}' at a time`;
    return [{ kind: 'concurrent iterations', of, text }, ...inside];
  });
}
