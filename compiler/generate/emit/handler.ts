/** The module of one operation: its statements, and the handler that runs its fulfillments and builds its response. */
import type { OperationPlan, StepPlan } from '../plan/steps.js';
import { upperFirst } from '../plan/names/identifiers.js';
import { runtimeNames } from '../plan/names/runtime-symbols.js';
import type { ServicePlan } from '../plan/plan.js';
import type { ReadRequest } from '../plan/request-read.js';
import type { RowType } from './module/emitted-expression.js';
import { commentText } from './module/comment.js';
import type { RepeatedReads } from '../plan/repeated-reads.js';
import type { CoverPoints, OperationPoints } from './cover-points.js';
import type { RequestReads } from './request-reads.js';
import { HandlerContext } from './context.js';
import { stringLiteral } from './module/literal.js';
import { Module } from './module/module.js';
import { Names } from './module/names.js';
import { requestTypeText } from './request-type.js';
import { emitResponses } from './response.js';
import type { Binding } from './scope.js';
import { emitSteps } from './step.js';
import { rowTypeText } from './module/type-text.js';

/** With `debug` it records its decisions for the test page; `points` receives the coverage points, if they are counted. */
export function emitHandler(
  operation: OperationPlan,
  plan: Pick<ServicePlan, 'datasources' | 'configName' | 'debug'>,
  points?: CoverPoints,
): Module {
  // A service under test is not read by people, and its counts belong to the first use.
  if (points !== undefined) return emitOnce(operation, plan, none, undefined, points.of(operation)).module;
  let repeated = operation.repeated;
  let imported: ReadonlySet<string> | undefined;
  for (;;) {
    const { module, reads, names } = emitOnce(operation, plan, repeated, imported);
    const { symbols } = module;
    // What a module does not import, its variables may be called.
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

const none: RepeatedReads = { params: new Set(), paths: new Set() };

function emitOnce(
  operation: OperationPlan,
  { datasources, configName, debug }: Pick<ServicePlan, 'datasources' | 'configName' | 'debug'>,
  repeated: RepeatedReads,
  imported: ReadonlySet<string> | undefined,
  points?: OperationPoints,
): Emitted {
  const { name, functionName, steps, responses, transaction } = operation;
  const module = new Module(`src/operations/${operation.fileName}.ts`, configName);
  const taken = [functionName, ...datasources.map(({ identifier }) => identifier), ...calledFunctions(steps)];
  const names = new Names(taken, imported);
  const context = new HandlerContext(operation, module, names, debug, repeated, points);
  const indexes = [...context.indexes.values()].map((index) => emitIndex(index, module));
  const statements = [...emitSteps(steps, context, { positions: [] }), emitResponses(responses, context)];
  const body = [context.reads.declarations, indexes]
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
  const passed =
    operation.request === undefined
      ? module.runtime('Call')
      : emitRequestType(operation.request, functionName, context);
  const signature = `(call: ${passed}): Promise<${module.runtime('Reply')}>`;
  const doc = handlerComment(operation);
  if (!transaction) {
    module.add(`${doc}\nexport async function ${functionName}${signature} {\n${body}\n}`);
    return { module, names, reads: context.reads };
  }
  const inside = context.names.take(`${functionName}InTransaction`);
  module.add(
    `${doc}\nexport function ${functionName}${signature} {\nreturn ${emitTransaction(inside, operation, context)};\n}`,
  );
  module.add(`async function ${inside}${signature} {\n${body}\n}`);
  return { module, names, reads: context.reads };
}

/** Where the results of a fulfillment are stored under their index. */
function emitIndex({ variable, type, row }: Binding, module: Module): string {
  const stored = type === 'rows' ? `<${row?.name ?? module.runtime('Row')}[]>` : '';
  return `const ${variable} = new ${module.runtime('IndexedResults')}${stored}(call);`;
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

/** What a conflict undoes is run again as a whole, unless something outside of the databases has happened (decisions 11.5). */
function emitTransaction(
  run: string,
  { callsThirdParties }: OperationPlan,
  { module, debug }: HandlerContext,
): string {
  const inTransaction = module.runtime('inTransaction');
  if (callsThirdParties) return `${inTransaction}(call, ${run})`;
  const attempt = debug ? `${module.runtime('traced')}.attempt(${run})` : run;
  return `${inTransaction}(call, ${attempt}, { retryOnConflict: true })`;
}

/** The handlers of other operations that it calls. */
function calledFunctions(steps: readonly StepPlan[]): string[] {
  return steps.flatMap((step) => {
    if (step.kind === 'reference') return [step.called.functionName];
    return step.kind === 'loop' ? calledFunctions(step.steps) : [];
  });
}
