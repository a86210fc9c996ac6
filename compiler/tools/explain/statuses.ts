/** Every possible status of an operation, and why (docs/design/responses.md#res-7). */
import type { CheckedException, CheckedFulfillment } from '../../analyze/check/checked.js';
import type { RequestLimit, TemplateHeader } from '../../read/config/config-model.js';
import { allFulfillments } from '../../read/config/walk.js';
import { printExpression } from '../../read/expression/print-expression.js';
import { isNullWithoutCaller } from '../../analyze/operations/statements/row-context.js';
import { canBeDenied, isSentByBrowsers } from '../../analyze/operations/authentications/accepted.js';
import { limitsOfRequests, limitText } from '../../analyze/operations/limits.js';
import { isSafe } from '../../../runtime/http/page-origin.js';
import type { Analysis } from '../../analyze/operations/analysis.js';
import type { AccessPlan } from '../../generate/plan/access.js';
import type { DatabasePlan } from '../../generate/plan/plan.js';
import type { MessagePlan } from '../../generate/plan/requests/message-plan.js';
import type { RequestPlan } from '../../generate/plan/requests/request-plan.js';
import type { ResponsePlan, StatementPlan } from '../../generate/plan/operation-plan.js';
import type { ExplainedStatus } from './explained.js';
import { allSteps, type ServiceView, type ViewedOperation } from './service-view.js';
import { addOfExpressions } from './list-statuses.js';
import { leavesAPart } from './partial-change.js';
import { Statuses } from './status-reasons.js';
import { writtenTemplate, writtenViolation } from './written-form.js';

/** All statuses of an operation; empty if it has no response: a timed operation, or a called one without responses. */
export function statusesOf(operation: ViewedOperation, view: ServiceView): ExplainedStatus[] {
  const all = new Statuses(operation.plan.invalid);
  const called = withCalled(operation, view);
  const { plan } = operation;
  for (const response of plan.responses) {
    const { name, status, condition, etag, content } = response;
    const when = condition === undefined ? 'default' : `if ${printExpression(condition, plan.syntax)}`;
    all.add(status, 'response', `response '${name}': ${when}${sentWith(response)}`);
    if (content?.kind === 'bytes' && status === 200 && plan.endpoint?.method === 'GET') {
      all.service(206, `a part of response '${name}' that the client requests`);
      all.service(416, `a part that response '${name}' does not have`);
    }
    if (etag !== undefined && plan.endpoint?.method === 'GET')
      all.service(304, `a client that has the version of response '${name}'`);
  }
  for (const one of called) addExceptions(one, one === operation, all);
  if (plan.endpoint !== undefined) addOfRequest(operation, view, all);
  if (plan.endpoint !== undefined || plan.responses.length > 0) addOfSteps(called, view, all);
  if (plan.endpoint !== undefined) addOfEvery(all);
  return all.inOrder();
}

/** The content type of a response that is not plain JSON, and its headers: `; text/csv; with Location, ETag`. */
function sentWith({ content, header, fileName, etag, omitted }: ResponsePlan): string {
  const names = [
    ...new Set(header.map(({ name }) => name)),
    ...(fileName === undefined ? [] : ['Content-Disposition']),
    ...(etag === undefined ? [] : ['ETag']),
  ];
  const left = omitted === undefined ? '' : `; without ${omitted} fields`;
  return `${content === undefined ? '' : `; ${content.type}`}${left}${names.length === 0 ? '' : `; with ${names.join(', ')}`}`;
}

/** The operation itself, followed by all operations that it calls. */
export function withCalled(operation: ViewedOperation, view: ServiceView): ViewedOperation[] {
  const called = view.analysis.withCalled(operation.checked.operation);
  const others = view.operations.filter(
    (other) => other !== operation && called.has(other.checked.operation),
  );
  return [operation, ...others];
}

function addExceptions({ plan, checked }: ViewedOperation, isOwn: boolean, all: Statuses): void {
  const { syntax } = plan;
  const of = isOwn ? '' : ` of operation '${plan.name}'`;
  const addAll = (exceptions: readonly CheckedException[], where: string): void => {
    for (const { if: condition, constraint, statuscode, message, header } of exceptions) {
      const shown = JSON.stringify(writtenTemplate(message, syntax));
      const when =
        condition === undefined ? writtenViolation(constraint.value) : printExpression(condition, syntax);
      all.add(statuscode, 'exception', `exception${where}${of}: ${shown} if ${when}${headersOf(header)}`);
    }
  };
  addAll(checked.exceptions, '');
  const add = (fulfillments: readonly CheckedFulfillment[]): void => {
    for (const fulfillment of fulfillments) {
      // Exceptions of a loop are checked after its nested fulfillments.
      if (fulfillment.type === 'loop') add(fulfillment.fulfillments);
      addAll(fulfillment.exceptions, ` in '${fulfillment.written.name.value}'`);
    }
  };
  add(checked.fulfillments);
}

function headersOf(header: readonly TemplateHeader[]): string {
  const names = new Set(header.map(({ name }) => name.value));
  return names.size === 0 ? '' : `; with ${[...names].join(', ')}`;
}

/** Adds the statuses of failed authentication. */
function addOfAccess(access: AccessPlan, method: string, { config }: Analysis, all: Statuses): void {
  if (access.length === 0) return;
  const isOptional = access.some((one) => one.isOptional);
  all.service(401, isOptional ? 'wrong credentials' : 'missing or wrong credentials');
  const types = new Set(access.map(({ type }) => type));
  if (access.some(({ scopes }) => scopes.length > 0)) all.service(403, 'a caller without the scopes');
  const names = new Set(access.map(({ name }) => name));
  if (config.authentications.some((one) => names.has(one.name.value) && canBeDenied(one, config)))
    all.service(403, 'a caller whom the operation that finds callers refuses with a code');
  if (!isSafe(method) && access.some(({ options }) => options['cookie'] !== undefined))
    all.service(403, 'a request with a cookie from a page of another origin');
  if (!isSafe(method) && access.some(({ type }) => isSentByBrowsers(type)))
    all.service(403, 'a request of a page of another origin');
  if (types.has('signature')) all.service(413, 'a body larger than BODY_LIMIT (1 MiB)');
  if (types.has('signature')) all.service(415, 'a signed body that is a multipart form');
  if (access.some(({ isHashed }) => isHashed)) all.service(503, 'more than four passwords at a time');
  if (access.some(({ type, operation }) => type === 'basicauth' && operation !== undefined))
    all.service(503, 'passwords that wait more than 3 s to be checked');
  if (access.some(({ type, hasOwnKey }) => type === 'jwt' && !hasOwnKey))
    all.service(503, 'no keys for tokens: their server does not respond');
}

/** Adds the statuses of request checks before the operation runs. */
function addOfRequest({ plan, checked }: ViewedOperation, view: ServiceView, all: Statuses): void {
  const access = view.plan.access.get(plan.name) ?? [];
  addOfAccess(access, plan.endpoint?.method ?? '', view.analysis, all);
  if (view.plan.knownPages.has(plan.name)) all.service(403, 'a request of a page of another origin');
  all.service(400, 'a URL that is not percent-encoded UTF-8');
  addOfLimits(limitsOfRequests(checked.operation, view.analysis.config), all);
  addOfKey({ checked }, all);
  const input = view.plan.api?.inputs.find((one) => one.operation === plan.name);
  const parameters = input?.groups.flatMap((group) => group.parameters) ?? [];
  const names = parameters.filter(({ schema }) => schema !== undefined).map(({ name }) => name);
  if (names.length > 0)
    all.service(400, `parameters that do not match the API description: ${names.join(', ')}`);
  const readsBody = plan.readsBody || input?.body !== undefined;
  if (readsBody) {
    const { kind = 'json', types = ['JSON'] } = plan.accepts ?? {};
    all.service(400, kind === 'text' ? 'a body that is not UTF-8' : 'a body that is not valid JSON');
    all.service(413, 'a body larger than BODY_LIMIT (1 MiB)');
    all.service(415, `a body that is not ${types.join(' or ')} in UTF-8, or compressed`);
  }
  if (input?.body !== undefined) all.service(400, 'a body that does not match the API description');
  if (input?.form !== undefined) all.service(400, 'a form that does not match the API description');
  const takesFields = input?.form?.types.includes('urlencoded') === true;
  if (takesFields) {
    all.service(400, 'a form that is not percent-encoded UTF-8');
    all.service(413, 'a form larger than BODY_LIMIT (1 MiB), or with more than 1,000 fields');
  }
  if (plan.readsFiles || input?.form?.types.includes('multipart') === true) {
    all.service(400, 'a malformed multipart form, a file instead of a string or the reverse');
    all.service(413, 'files larger than FILE_LIMIT (10 MiB), or more than PART_LIMIT parts (20)');
    all.service(415, `a body that is not a multipart form${takesFields ? ', and not a form of fields' : ''}`);
    all.service(503, 'files of all requests beyond UPLOAD_MEMORY');
  } else if (takesFields) all.service(415, 'a body that is not a form of fields');
}

/** Adds the statuses of an idempotency key, which is read after the checks of the request. */
function addOfKey({ checked }: Pick<ViewedOperation, 'checked'>, all: Statuses): void {
  const { idempotency, syntax } = checked.operation;
  if (idempotency?.key === undefined) return;
  const key = printExpression(idempotency.key, syntax);
  const missing = idempotency.isRequired ? 'a missing key, or ' : '';
  all.service(400, `${missing}a key in ${key} that does not have 1 to 255 characters`);
  all.service(409, `a request with the key in ${key} is in progress`);
  all.service(422, `the key in ${key} was used for another request`);
  all.service(500, 'a response of more than 64 KiB, which cannot be stored for repetitions');
}

function addOfLimits(limits: readonly RequestLimit[], all: Statuses): void {
  for (const limit of limits) {
    all.service(429, `more than ${limitText(limit)}`);
    if (limit.by.some(({ kind }) => kind === 'body' || kind === 'param' || kind === 'sent'))
      all.service(400, 'a list, an object or a long string where a limit counts by a value');
    if (limit.store !== undefined) all.service(503, `${limit.store.value} cannot count a request`);
  }
}

/** Adds the statuses that are possible for any request. */
function addOfEvery(all: Statuses): void {
  all.service(500, 'an unexpected failure');
  all.service(503, 'more large responses at a time than the memory allows');
  all.service(504, 'REQUEST_TIMEOUT (30 s) is over');
}

/** Adds the possible outcomes of steps, including those of called operations. */
function addOfSteps(called: readonly ViewedOperation[], view: ServiceView, all: Statuses): void {
  const [first] = called;
  if (first !== undefined && leavesAPart(first, view))
    all.service(500, 'a failure after a change that stays: the changes are incomplete');
  for (const operation of called) {
    for (const { viewed } of allSteps(operation)) {
      if (viewed.kind === 'code') {
        const { function: name, fulfillment } = viewed.step;
        all.service(
          500,
          `user code that throws, or returns another type; with fail(…), it sends other statuses: ${name}`,
          fulfillment,
        );
      }
      if (viewed.kind === 'deferred') {
        const { name } = view.datasource(viewed.step.outbox);
        all.service(503, `${name} is not available or busy, or results need more memory than allowed`);
        all.service(504, `a statement of ${name} that takes too long`);
      }
      if (viewed.kind !== 'data') continue;
      for (const { action } of viewed.step.choices) {
        if (action.kind === 'statement')
          addOfStatement(action, operation.plan.streamed === viewed.step, view, all);
        else if (action.kind === 'message') addOfMessage(action, view, all);
        else addOfRequestPlan(action, view, all);
      }
    }
    if (operation.plan.transaction) {
      all.service(500, 'it is unknown whether a transaction was committed');
      if (!operation.plan.hasOtherEffects)
        all.service(503, 'a conflict with another change that was not resolved');
    }
    addOfExpressions(operation, all);
  }
  if (called.some(({ plan, checked }) => isCycle(plan.name, checked.operation.fulfillments, view)))
    all.service(500, 'more than 32 calls deep');
}

function isCycle(
  name: string,
  fulfillments: Parameters<typeof allFulfillments>[0],
  { analysis }: ServiceView,
): boolean {
  return allFulfillments(fulfillments).some(({ fulfillment }) => {
    if (fulfillment.type !== 'REFERENCE') return false;
    const target = analysis.operation(fulfillment.operationName.value);
    return target !== undefined && [...analysis.withCalled(target)].some((one) => one.name.value === name);
  });
}

function addOfStatement(
  { sql, fulfillment, datasource, list }: StatementPlan,
  isStreamed: boolean,
  view: ServiceView,
  all: Statuses,
): void {
  const used = view.datasource(datasource);
  const { name } = used;
  if (used.type === 'db') addOfContext(used, fulfillment, all);
  if (list !== undefined && list.asked.length > 0)
    all.service(400, 'an invalid order, limit or next page', fulfillment);
  if (sql.bindings.length > 0) all.service(400, `a value that ${name} does not accept`, fulfillment);
  else all.service(500, `a statement that ${name} refuses`, fulfillment);
  // A statement that must not be retried may change something.
  if (!sql.retry) {
    all.service(400, `NOT NULL or CHECK of a table, or a rule of the database (RAISE, SIGNAL)`, fulfillment);
    all.service(409, `a unique, foreign-key or exclusion constraint`, fulfillment);
    all.service(500, `it is unknown whether a change was made`, fulfillment);
    all.service(503, `a conflict with another change that was not resolved`, fulfillment);
  }
  if (isStreamed)
    all.service(503, `half of the connections of ${name} are used by streamed responses`, fulfillment);
  else all.service(500, `more rows than ROW_LIMIT or RESULT_LIMIT`, fulfillment);
  all.service(503, `${name} is not available or busy, or results need more memory than allowed`);
  all.service(504, `a statement of ${name} that takes too long`);
}

/** Adds the statuses of a database's context and role. */
function addOfContext({ name, context, role }: DatabasePlan, fulfillment: string, all: Statuses): void {
  for (const { name: setting, value } of context)
    if (isNullWithoutCaller(value)) all.service(403, `a caller without a value for ${setting}`, fulfillment);
  if (context.length > 0 || role !== undefined)
    all.service(403, `rows or tables that ${name} refuses to the caller`, fulfillment);
}

function addOfMessage(
  { fulfillment, datasource, continues, isDelivered }: MessagePlan,
  view: ServiceView,
  all: Statuses,
): void {
  const { name } = view.datasource(datasource);
  all.service(400, `an address or subject that no mail can have`, fulfillment);
  if (continues || isDelivered) return;
  all.service(502, `${name} is not reachable, or does not accept the mail`);
  all.service(504, `${name} takes too long`);
}

function addOfRequestPlan(
  { fulfillment, datasource, withStatus, continues, isDelivered, url, header }: RequestPlan,
  view: ServiceView,
  all: Statuses,
): void {
  const { name } = view.datasource(datasource);
  const values = url.kind === 'whole' ? [] : url.pieces.filter(({ kind }) => kind !== 'text');
  if (url.kind === 'whole') all.service(400, `a URL that is not an absolute http or https URL`, fulfillment);
  if (values.some(({ kind }) => kind === 'segment'))
    all.service(400, `a path segment that is empty, '.' or '..'`, fulfillment);
  if (values.length > 0) all.service(400, `a value of a URL that is not valid Unicode`, fulfillment);
  if (header.some(({ value }) => value.some((part) => typeof part !== 'string')))
    all.service(400, `a value that is invalid in a header`, fulfillment);
  if (continues || isDelivered) return;
  all.add(
    502,
    'service',
    withStatus
      ? `${name} is not reachable, or its response is invalid`
      : `${name} is not reachable, or responds with a status outside 2xx or with an invalid response`,
  );
  all.service(504, `${name} takes too long`);
}
