/** The module of one operation: its statements, and the handler that runs its fulfillments and builds its response. */
import type { OperationPlan, StepPlan } from '../plan/operation-plan.js';
import { upperFirst } from '../plan/names/identifiers.js';
import { runtimeNames } from '../plan/names/runtime-symbols.js';
import type { ServicePlan } from '../plan/plan.js';
import type { ReadRequest, ReadValue } from '../plan/request-read.js';
import type { RowType } from './module/emitted-expression.js';
import { commentText } from '../../notation/typescript-writer.js';
import { noRepeatedReads, type RepeatedReads } from '../plan/repeated-reads.js';
import type { CoverPoints, OperationPoints } from './cover-points.js';
import type { RequestReads } from './request-reads.js';
import { HandlerContext } from './context.js';
import { stringLiteral } from '../../notation/typescript-writer.js';
import { Module } from './module/module.js';
import { readsVariable } from './module/reads-variable.js';
import { Names } from './module/names.js';
import { isTyped, type ReplyBodies, type ReplyBody } from './types/reply-bodies.js';
import { requestTypeText, valueText } from './types/request-type.js';
import { emitResponses } from './response.js';
import { emitInputException, emitSteps } from './steps.js';
import { rowTypeText } from './module/type-text.js';

/** With `debug` it records its decisions for the test page; `points` receives the coverage points, if they are counted. */
export function emitHandler(
  operation: OperationPlan,
  plan: Pick<ServicePlan, 'datasources' | 'debug'>,
  { points, bodies }: { readonly points?: CoverPoints | undefined; readonly bodies?: ReplyBodies } = {},
): Module {
  // A service under test is not read by people, and its counts belong to the first use.
  if (points !== undefined)
    return emitOnce(operation, plan, { repeated: noRepeatedReads, points: points.of(operation) }).module;
  let repeated = operation.repeated;
  let imported: ReadonlySet<string> | undefined;
  for (;;) {
    const { module, reads, names } = emitOnce(operation, plan, { repeated, imported, bodies });
    const { symbols } = module;
    // Variables may have the names of symbols that the module does not import.
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

/** Inputs of one module. */
interface Emitting {
  readonly repeated: RepeatedReads;
  /** The names of the runtime that it imports, once that is known. */
  readonly imported?: ReadonlySet<string> | undefined;
  readonly points?: OperationPoints;
  readonly bodies?: ReplyBodies | undefined;
}

function emitOnce(
  operation: OperationPlan,
  { datasources, debug }: Pick<ServicePlan, 'datasources' | 'debug'>,
  { repeated, imported, points, bodies }: Emitting,
): Emitted {
  const { name, functionName, exceptions, steps, responses, transaction } = operation;
  const module = new Module(`src/operations/${operation.fileName}.ts`, operation.writtenIn);
  const taken = [
    functionName,
    operation.responsesName,
    ...datasources.map(({ identifier }) => identifier),
    ...calledFunctions(steps),
    ...(callsOwnCode(steps) ? ['functions'] : []),
  ];
  const names = new Names(taken, imported);
  const context = new HandlerContext(operation, module, names, debug, repeated, bodies, points);
  const indexes = steps.flatMap((step) => emitIndexes(step, context));
  const checks = exceptions.map((exception, index) => emitInputException(exception, index, context));
  const fulfillments = emitSteps(steps, context, { positions: [] });
  const replies = emitResponses(responses, context);
  module.replies = replies.value;
  const statements = [...checks, ...fulfillments, replies.text].filter((text) => text !== '');
  const code = [context.reads.declarations, indexes]
    .filter((declarations) => declarations.length > 0)
    .map((declarations) => declarations.join('\n'))
    .concat(statements)
    .join('\n\n');
  if (context.constants.size > 0) module.add(`const operation = ${stringLiteral(name)};`);
  const declared = new Set<RowType>();
  for (const [constant, value] of context.constants) {
    const row = context.rowsOf(constant);
    if (row !== undefined && !declared.has(row)) {
      declared.add(row);
      module.add(`export type ${row.name} = ${rowTypeText(row, module)};`);
    }
    module.add(`const ${constant} = ${value};`);
  }
  const passed = (): string =>
    operation.request === undefined
      ? module.runtime('Call')
      : emitRequestType(operation.request, functionName, context);
  if (bodies?.isDeclaredBy(operation) === true && isTyped(replies.value))
    module.replyBody = emitReplyBody(replies.value, functionName, context);
  const parameter = steps.length > 0 || readsVariable(code, 'call') ? `call: ${passed()}` : '';
  const signature = `(${parameter}): Promise<${returned(context)}>`;
  const doc = handlerComment(operation);
  if (!transaction) {
    module.add(`${doc}\nexport async function ${functionName}${signature} {\n${code}\n}`);
    return { module, names, reads: context.reads };
  }
  const inside = context.names.take(`${functionName}InTransaction`);
  module.add(
    `${doc}\nexport function ${functionName}${signature} {\nreturn ${emitTransaction(inside, operation, context)};\n}`,
  );
  module.add(`async function ${inside}${signature} {\n${code}\n}`);
  return { module, names, reads: context.reads };
}

/** Where the results of a fulfillment, and of those inside it, are stored under their index. */
function emitIndexes(step: StepPlan, context: HandlerContext): string[] {
  if (step.kind === 'loop') return step.steps.flatMap((inside) => emitIndexes(inside, context));
  const index = step.index === undefined ? undefined : context.indexes.get(step.fulfillment);
  if (index === undefined) return [];
  const { module } = context;
  const type =
    index.type === 'rows' ? `${index.row?.name ?? module.runtime('Row')}[]` : context.bodyType(step);
  const stored = type === undefined ? '' : `<${type}>`;
  return [`const ${index.variable} = new ${module.runtime('IndexedResults')}${stored}(call);`];
}

/** The type of the value of the handler's promise. */
function returned({ isSilent, module }: HandlerContext): string {
  if (isSilent) return 'void';
  const { replyBody } = module;
  return replyBody === undefined ? module.runtime('Reply') : `${module.runtime('Reply')}<${replyBody.name}>`;
}

/** Declares what the operation replies with, for those that call it. */
function emitReplyBody(value: ReadValue, functionName: string, { module, names }: HandlerContext): ReplyBody {
  const name = names.take(`${upperFirst(functionName)}Body`);
  const text = valueText(value, module);
  module.add(`export type ${name} = ${text};`);
  return { name, path: module.path.replace(/\.ts$/, ''), text, value };
}

/** The doc comment of a handler: its operation, the summary of the API description, and how it runs. */
function handlerComment({ name, endpoint, summary = '', transaction }: OperationPlan): string {
  const own = `${endpoint === undefined ? 'operation ' : ''}${commentText(name)}`;
  const purpose = commentText(summary);
  if (purpose === '') return `/** ${own}${transaction ? ': in one transaction for each datasource' : ''} */`;
  const heading = `${own}: ${purpose}`;
  const isShort = heading.length <= 100;
  if (isShort && !transaction) return `/** ${heading} */`;
  const paragraphs = [
    ...(isShort ? [heading] : [own, purpose]),
    ...(transaction ? ['In one transaction for each datasource.'] : []),
  ];
  return `/**\n * ${paragraphs.join('\n *\n * ')}\n */`;
}

/** Declares what is read of the request, and returns the type of its call. */
function emitRequestType(
  request: ReadRequest,
  functionName: string,
  { module, names }: HandlerContext,
): string {
  const name = names.take(`${upperFirst(functionName)}Request`);
  module.add(`export type ${name} = ${requestTypeText(request, module)};`);
  return `${module.runtime('CallOf')}<${name}>`;
}

/** A transaction that a conflict undoes is run again as a whole, unless something outside of the databases has happened (decisions 11.5). */
function emitTransaction(
  run: string,
  { hasOtherEffects }: OperationPlan,
  { module, debug }: HandlerContext,
): string {
  const inTransaction = module.runtime('inTransaction');
  if (hasOtherEffects) return `${inTransaction}(call, ${run})`;
  const attempt = debug ? `${module.runtime('traced')}.attempt(${run})` : run;
  return `${inTransaction}(call, ${attempt}, { retryOnConflict: true })`;
}

function callsOwnCode(steps: readonly StepPlan[]): boolean {
  return steps.some((step) => step.kind === 'code' || (step.kind === 'loop' && callsOwnCode(step.steps)));
}

/** The handlers of other operations that it calls. */
function calledFunctions(steps: readonly StepPlan[]): string[] {
  return steps.flatMap((step) => {
    if (step.kind === 'reference') return [step.called.functionName];
    return step.kind === 'loop' ? calledFunctions(step.steps) : [];
  });
}
