/** The module of one operation: its statements, and the handler that runs its fulfillments and builds the response. */
import {
  apart,
  call,
  constant,
  create,
  declareFunction,
  declareType,
  doc,
  exported,
  field,
  generic,
  listType,
  literal,
  method,
  name,
  object,
  parameter,
  returns,
  type Code,
  type Doc,
  type Name,
  type Statement,
  type Type,
} from '../code/code.js';
import { printType } from '../code/print.js';
import { reads as readsVariable } from '../code/code-parts.js';
import { commentText } from '../../notation/typescript-writer.js';
import type { OperationPlan, StepPlan } from '../plan/operation-plan.js';
import { upperFirst } from '../plan/names/identifiers.js';
import { runtimeNames } from '../plan/names/runtime-symbols.js';
import type { ServicePlan } from '../plan/plan.js';
import type { ReadRequest, ReadValue } from '../plan/requests/request-read.js';
import type { RowType } from './module/emitted-expression.js';
import { noRepeatedReads, type RepeatedReads } from '../plan/requests/repeated-reads.js';
import type { CoverPoints, OperationPoints } from './cover-points.js';
import type { RequestReads } from './request-reads.js';
import { HandlerContext } from './context.js';
import { Module } from './module/module.js';
import { Names } from './module/names.js';
import { isTyped, type ReplyBodies, type ReplyBody } from './types/reply-bodies.js';
import { requestType, valueType } from './types/request-type.js';
import { theCall } from './expression.js';
import { emitResponses } from './response.js';
import { emitInputException, emitSteps } from './steps.js';
import { idempotencyModule, keysName } from './service/idempotency-module.js';
import { rowType } from './module/type-text.js';

/** The parts of the plan that handlers depend on. */
export type EmittedPlan = Pick<ServicePlan, 'datasources' | 'debug' | 'authentications' | 'functions'>;

/** With `debug`, the handler records its decisions for the test page. `points` receives the coverage points, if coverage is counted. */
export function emitHandler(
  operation: OperationPlan,
  plan: EmittedPlan,
  { points, bodies }: { readonly points?: CoverPoints | undefined; readonly bodies?: ReplyBodies } = {},
): Module {
  // Nobody reads a service under test, and coverage numbers are assigned by the first pass, so one pass is enough.
  if (points !== undefined)
    return emitOnce(operation, plan, { repeated: noRepeatedReads, points: points.of(operation) }).module;
  let repeated = operation.repeated;
  let imported: ReadonlySet<string> | undefined;
  for (;;) {
    const { module, reads, names } = emitOnce(operation, plan, { repeated, imported, bodies });
    const { symbols } = module;
    // Variables may reuse names of runtime symbols that the module does not import.
    const isRenamed =
      imported === undefined
        ? runtimeNames.some((name) => names.avoided.has(name) && !symbols.has(name))
        : [...symbols].some((symbol) => imported?.has(symbol) === false);
    if (reads.areAllRepeated && !isRenamed) return module;
    repeated = reads.repeatedAfterAll;
    if (isRenamed) imported = new Set([...symbols, ...(imported ?? [])]);
  }
}

interface Emitted {
  readonly module: Module;
  readonly names: Names;
  readonly reads: RequestReads;
}

/** Inputs for one pass over a module. */
interface Emitting {
  readonly repeated: RepeatedReads;
  /** Runtime names that the module imports, once they are known. */
  readonly imported?: ReadonlySet<string> | undefined;
  readonly points?: OperationPoints;
  readonly bodies?: ReplyBodies | undefined;
}

function emitOnce(
  operation: OperationPlan,
  { datasources, debug, authentications, functions }: EmittedPlan,
  { repeated, imported, points, bodies }: Emitting,
): Emitted {
  const { functionName, exceptions, steps, responses, transaction } = operation;
  const module = new Module(`src/operations/${operation.fileName}.ts`, operation.writtenIn);
  const taken = [
    functionName,
    operation.responsesName,
    ...datasources.map(({ identifier }) => identifier),
    ...calledFunctions(steps),
    ...(operation.isKeyed ? [keysName(functionName)] : []),
    ...(callsOwnCode(steps) || operation.functions.size > 0 ? ['functions'] : []),
  ];
  const issuers = issuersOf(operation, authentications);
  const names = new Names([...taken, ...issuers.values()], imported);
  const results = resultsOf(operation, functions);
  const context = new HandlerContext(
    ...([operation, module, names, debug, repeated, bodies, points, issuers, results] as const),
  );
  const indexes = steps.flatMap((step) => emitIndexes(step, context));
  const checks = exceptions.map((exception, index) => emitInputException(exception, index, context));
  const fulfillments = emitSteps(steps, context, { positions: [] });
  const replies = emitResponses(responses, context);
  module.replies = replies.value;
  const body = apart([context.reads.declarations, indexes, ...checks, fulfillments, replies.statements]);
  if (context.constants.size > 0) module.add(constant(name('operation'), literal(operation.name)));
  const declared = new Set<RowType>();
  for (const [statement, value] of context.constants) {
    const row = context.rowsOf(statement);
    if (row !== undefined && !declared.has(row)) {
      declared.add(row);
      module.add(exported(declareType(row.name, rowType(row, module))));
    }
    module.add(constant(statement, value));
  }
  const passed = (): Type =>
    operation.request === undefined
      ? module.runtime('Call')
      : emitRequestType(operation.request, functionName, context);
  if (bodies?.isDeclaredBy(operation) === true && isTyped(replies.value))
    module.replyBody = emitReplyBody(replies.value, functionName, context);
  const isCallRead = steps.length > 0 || readsVariable(body, theCall.name);
  const parameters = isCallRead ? [parameter(theCall, passed())] : [];
  const promise = generic(name('Promise'), returned(context));
  const comment = handlerComment(operation);
  if (!transaction) {
    module.add(comment, exported(declareFunction(functionName, parameters, promise, body)));
    return { module, names, reads: context.reads };
  }
  const inside = context.names.take(`${functionName}InTransaction`);
  const run = [returns(emitTransaction(inside, operation, context))];
  module.add(comment, exported(declareFunction(functionName, parameters, promise, run, false)));
  module.add(declareFunction(inside.name, parameters, promise, body));
  return { module, names, reads: context.reads };
}

/** The identifiers of the authentications whose tokens an operation issues, by name. */
export function issuersOf(
  { issuers }: OperationPlan,
  authentications: ServicePlan['authentications'],
): ReadonlyMap<string, string> {
  const issuing = issuers.size === 0 ? [] : authentications.filter((one) => issuers.has(one.name));
  return new Map(issuing.map(({ name: issuer, identifier }) => [issuer, identifier]));
}

/** The types of the results of the functions that expressions of the operation call. */
function resultsOf(
  { functions: called }: OperationPlan,
  functions: ServicePlan['functions'],
): ReadonlyMap<string, ReadValue> {
  const own = called.size === 0 ? [] : functions.filter((one) => called.has(one.name));
  return new Map(own.map((one) => [one.name, one.result]));
}

/** Declares maps for the results of a fulfillment and of its nested fulfillments that are stored under an index. */
function emitIndexes(step: StepPlan, context: HandlerContext): Statement[] {
  if (step.kind === 'loop') return step.steps.flatMap((inside) => emitIndexes(inside, context));
  const { module } = context;
  const outcomes = step.stored.flatMap((part) => {
    const code = part === 'result' ? undefined : context.outcomes[part].get(step.fulfillment);
    const type = name(part === 'status' ? 'number' : 'string');
    const results = generic(module.runtime('IndexedResults'), type);
    return code === undefined ? [] : [constant(code, create(results, theCall))];
  });
  const index = step.index === undefined ? undefined : context.indexes.get(step.fulfillment);
  if (index === undefined) return outcomes;
  const row = index.row === undefined ? undefined : name(index.row.name);
  const type = index.type === 'rows' ? listType(row ?? module.runtime('Row')) : context.bodyType(step);
  const results = generic(module.runtime('IndexedResults'), ...(type === undefined ? [] : [type]));
  return [constant(index.code, create(results, theCall)), ...outcomes];
}

/** The type that the handler's promise resolves to. */
function returned({ isSilent, module }: HandlerContext): Type {
  if (isSilent) return name('void');
  const { replyBody } = module;
  return generic(module.runtime('Reply'), ...(replyBody === undefined ? [] : [name(replyBody.name)]));
}

/** Declares the type of the operation's reply, for operations that call it. */
function emitReplyBody(value: ReadValue, functionName: string, { module, names }: HandlerContext): ReplyBody {
  const { name: typeName } = names.take(`${upperFirst(functionName)}Body`);
  const type = valueType(value, module);
  module.add(exported(declareType(typeName, type)));
  return { name: typeName, path: module.path.replace(/\.ts$/, ''), text: printType(type), value };
}

/** The doc comment of a handler: its operation, the summary from the API description, and how it runs. */
function handlerComment({ name: operation, endpoint, summary = '', transaction }: OperationPlan): Doc {
  const own = `${endpoint === undefined ? 'operation ' : ''}${commentText(operation)}`;
  const purpose = commentText(summary);
  if (purpose === '') return doc(`${own}${transaction ? ': in one transaction for each datasource' : ''}`);
  const heading = `${own}: ${purpose}`;
  const isShort = heading.length <= 100;
  if (isShort && !transaction) return doc(heading);
  const paragraphs = [
    ...(isShort ? [heading] : [own, purpose]),
    ...(transaction ? ['In one transaction for each datasource.'] : []),
  ];
  return doc(...paragraphs.flatMap((paragraph, index) => (index === 0 ? [paragraph] : ['', paragraph])));
}

/** Declares the parts of the request that are read, and returns the type of the handler's `call` parameter. */
function emitRequestType(
  request: ReadRequest,
  functionName: string,
  { module, names }: HandlerContext,
): Type {
  const type = names.take(`${upperFirst(functionName)}Request`);
  module.add(exported(declareType(type.name, requestType(request, module))));
  return generic(module.runtime('CallOf'), type);
}

/** A transaction rolled back by a conflict is run again from the start, unless it already had effects outside the databases. */
function emitTransaction(
  inside: Name,
  { functionName, hasOtherEffects, isKeyed }: OperationPlan,
  { module, debug }: HandlerContext,
): Code {
  const attempt = debug && !hasOtherEffects ? method(module.runtime('traced'), 'attempt', inside) : inside;
  const options = hasOtherEffects ? [] : [object([field('retryOnConflict', literal(true))])];
  if (!isKeyed) return call(module.runtime('inTransaction'), theCall, attempt, ...options);
  const keys = module.import(idempotencyModule, keysName(functionName));
  return method(keys, 'once', theCall, attempt, ...options);
}

function callsOwnCode(steps: readonly StepPlan[]): boolean {
  return steps.some((step) => step.kind === 'code' || (step.kind === 'loop' && callsOwnCode(step.steps)));
}

/** Names of other operations' handlers that the steps call. */
function calledFunctions(steps: readonly StepPlan[]): string[] {
  return steps.flatMap((step) => {
    if (step.kind === 'reference') return [step.called.functionName];
    return step.kind === 'loop' ? calledFunctions(step.steps) : [];
  });
}
