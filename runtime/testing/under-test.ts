/** Handles messages from `apikiln test`: runs an operation without a request, reads rows, and returns traces and counts. */
import { randomBytes, randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import type { Call } from '../handler/call.js';
import type { Json, Row } from '../handler/json.js';
import { isFailure, ServiceError, type Reply } from '../handler/reply.js';
import { reply } from '../responses/reply.js';
import type { Handler, TestPage } from '../http/route.js';
import { referenceCall } from '../references/reference.js';
import { forgetCounts } from '../limits/counters.js';
import { timedCall } from '../schedule/timed-run.js';
import type { Datasource } from '../server/contracts.js';
import type { DatabaseDatasource } from '../sql/datasource.js';
import { createStatement, type StatementHost } from '../sql/statement.js';
import { record } from '../trace/recording.js';
import type { Trace } from '../trace/steps.js';
import { clock } from '../values/now.js';
import { randoms } from '../values/random.js';
import { identifiers } from '../values/uuid.js';
import { coverCounts } from './cover.js';
import type { TestedOutbox } from './tested-outbox.js';

/** A message from the test process. The response to each message has the same id. */
export type Question =
  | {
      readonly kind: 'run';
      readonly operation: string;
      readonly parameters: Readonly<Record<string, Json>>;
      readonly body?: Json;
      readonly timeout: number;
    }
  | {
      readonly kind: 'read' | 'update';
      readonly datasource: string;
      readonly sql: string;
      readonly values: readonly Json[];
      /** The role that can read the rows of all callers. */
      readonly role?: string;
    }
  /** Sets the value of NOW from this point on, and the next values of UUID and RANDOM. */
  | { readonly kind: 'now'; readonly now: string | undefined }
  | { readonly kind: 'uuids'; readonly uuids: readonly string[] }
  | { readonly kind: 'randoms'; readonly randoms: readonly string[] }
  /** Forgets the counts of limits in the process. */
  | { readonly kind: 'limits' }
  /** Sends the requests in the outbox. */
  | { readonly kind: 'deliver' }
  | { readonly kind: 'traces' }
  /** Asks why the credentials of a request were refused. */
  | { readonly kind: 'refusal'; readonly requestId: string }
  | { readonly kind: 'counts' };

/** The response to a question; `error` is for the author of the test. */
export interface TestResponse {
  readonly id: number;
  readonly reply?: Reply;
  readonly rows?: readonly Row[];
  readonly traces?: readonly Trace[];
  readonly counts?: Readonly<Record<number, number>>;
  /** Undefined if the credentials of the request were accepted. */
  readonly refusal?: string;
  readonly error?: string;
}

export interface ServiceUnderTest {
  /** All operations by name, including operations without an endpoint. */
  readonly operations: Readonly<Record<string, Handler>>;
  readonly datasources: readonly Datasource[];
  readonly outbox?: TestedOutbox;
  /** The test page of the service, if enabled. */
  readonly testPage?: TestPage;
}

/** Starts to respond to messages, and traces all calls. */
export function underTest({ operations, datasources, outbox, testPage }: ServiceUnderTest): TestPage {
  let traces: Trace[] = [];
  // A test sends one request at a time.
  let refused: { readonly requestId: string; readonly refusal: string } | undefined;
  subscribe('apikiln.refusal', (message) => {
    refused = message as typeof refused;
  });
  const traced = (operation: string, run: () => Reply | Promise<Reply>): Promise<Reply> => {
    const { trace, result } = record(operation, run);
    traces.push(trace);
    return result;
  };
  const respond = async (question: Question): Promise<Omit<TestResponse, 'id'>> => {
    switch (question.kind) {
      case 'run': {
        const handler = operations[question.operation];
        if (handler === undefined) return { error: `there is no operation '${question.operation}'` };
        return {
          reply: await replyOrError(() => traced(question.operation, () => handler(testCall(question)))),
        };
      }
      case 'read':
      case 'update': {
        const database = datasources.filter(isDatabase).find(({ name }) => name === question.datasource);
        if (database === undefined) return { error: `there is no database '${question.datasource}'` };
        const definition = { operation: 'the test', fulfillment: 'rows', sql: question.sql };
        const statement = createStatement(asOwner(database, question.role), definition, question.kind);
        return { rows: await statement(testCall({ parameters: {}, timeout: 30_000 }), question.values) };
      }
      case 'now':
        clock.now = () => new Date(question.now ?? Date.now());
        return {};
      case 'uuids': {
        const left = [...question.uuids];
        identifiers.next = () => left.shift() ?? randomUUID();
        return {};
      }
      case 'randoms': {
        const left = [...question.randoms];
        randoms.next = (bytes, form) => left.shift() ?? randomBytes(bytes).toString(form);
        return {};
      }
      case 'limits':
        forgetCounts();
        return {};
      case 'deliver':
        await outbox?.deliver();
        return {};
      case 'traces': {
        const taken = traces;
        traces = [];
        return { traces: taken };
      }
      case 'refusal':
        return refused?.requestId === question.requestId ? { refusal: refused.refusal } : {};
      case 'counts':
        return { counts: coverCounts() };
    }
  };
  // Sent before the response to any later question, so the test process knows all secrets of a step that has ended.
  subscribe('apikiln.secret', (secret) => process.send?.({ secret }));
  // The test process has exited.
  process.on('disconnect', () => process.exit(1));
  process.on('message', (message) => {
    const { id, ...question } = message as Question & { readonly id: number };
    void respond(question)
      .catch((error: unknown) => ({ error: reasonOf(error) }))
      .then((response) => process.send?.({ id, ...response }));
  });
  return {
    announce: () => undefined,
    owns: (target) => testPage?.owns(target) === true,
    respond: (exchange) => testPage?.respond(exchange) === true,
    observe: (_exchange, operation, handler, call) => traced(operation, () => handler(call)),
  };
}

/** The response to an equivalent request. */
async function replyOrError(run: () => Promise<Reply>): Promise<Reply> {
  try {
    return await run();
  } catch (error) {
    if (isFailure(error) || error instanceof ServiceError)
      return reply(error.status, { message: error.message });
    return reply(500, { message: 'Internal server error' });
  }
}

/** The reason of an error. Includes the message of the database, which is useful here and only shown to the author of the test. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof ServiceError) && cause.message !== '') return cause.message;
  }
  const log = error instanceof ServiceError ? error.details.log : undefined;
  return log?.reason === undefined ? error.message : `${error.message} (${log.reason})`;
}

/** Reads as the owner: tests read the rows of all callers, so the context of the datasource is not set. */
function asOwner(database: DatabaseDatasource, role: string | undefined): StatementHost {
  const text = "SELECT pg_catalog.set_config('role', $1, true)";
  const context =
    role === undefined ? undefined : { of: () => ({ text, values: [role] }), check: () => Promise.resolve() };
  const { name, kind } = database;
  return { name, kind, context, use: () => database.use() };
}

function isDatabase(datasource: Datasource): datasource is Datasource & DatabaseDatasource {
  return 'kind' in datasource && 'read' in datasource && 'update' in datasource;
}

/** The call of an operation: with parameters like a reference call, without parameters like a timer. */
function testCall({
  parameters,
  body,
  timeout,
}: Omit<Extract<Question, { kind: 'run' }>, 'kind' | 'operation'>): Call {
  return referenceCall(timedCall(timeout), { parameters, body });
}
