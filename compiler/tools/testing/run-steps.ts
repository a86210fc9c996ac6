/** Runs the steps of one test, and reports all differences. */
import { storesOfKeys } from '../../analyze/operations/idempotency.js';
import { everyLimit } from '../../analyze/operations/limits.js';
import { outboxFieldOf, type Config } from '../../read/config/config-model.js';
import type { Reply } from '../../../runtime/handler/reply.js';
import type { Json } from '../../../runtime/handler/json.js';
import type { ApiEndpoint } from '../../read/openapi/api-model.js';
import type { LocalDatabase } from '../local/local-database.js';
import { filledText, jsonOfNode, textOfJson, type SavedValues } from './actual-values.js';
import type { AskedService } from './asked-service.js';
import { compareDescribed } from './compare-described.js';
import { compareResponse, type Finding } from './compare-response.js';
import { rowDifferences } from './compare-rows.js';
import { parsePath, valueAt } from './json-path.js';
import { StubbedApis } from './stubbed-apis.js';
import { sendRequest, type ReceivedResponse } from './send-request.js';
import { toolResponse } from './called-tool.js';
import { requestedOperation } from './read/requested-operation.js';
import {
  spanOf,
  type ConfigTest,
  type OperationAction,
  type RequestAction,
  type TableRows,
  type TestStep,
} from './read/test-model.js';
import type { TestFailure } from './test-result.js';
import type { SentCredentials } from '../local/credentials.js';
import type { TestCredentials } from './test-credentials.js';
import { MaskedOutput } from './masked-output.js';
import { insertStatements, selectStatement } from './test-rows.js';

export interface TestRun {
  readonly config: Config;
  readonly service: AskedService;
  readonly credentials: TestCredentials;
  /** The endpoints of the API description by the names of operations. */
  readonly endpoints: ReadonlyMap<string, ApiEndpoint>;
  readonly databases: ReadonlyMap<string, LocalDatabase>;
  readonly readFile: (path: string) => Buffer;
  /** Sets the stubs that play the third parties from now on. */
  readonly play: (third: StubbedApis) => void;
}

/** Milliseconds; longer than the limit of a single request. */
const timeLimit = 45_000;

/** `isStuck`: the service may still be working. A failed step ends the test. */
export async function runSteps(
  test: ConfigTest,
  run: TestRun,
): Promise<{ readonly failures: readonly TestFailure[]; readonly isStuck: boolean }> {
  const kept = new Map<string, unknown>();
  await tracesOf(run);
  run.service.takeLog();
  try {
    for (const rows of test.rows) await insert(rows, run, kept);
  } catch (error) {
    const { span } = test.rows[0]?.table ?? test.name;
    return {
      failures: [failureOf({ span, message: `the rows cannot be inserted: ${reasonOf(error)}` }, undefined)],
      isStuck: false,
    };
  }
  await run.service.ask({ kind: 'uuids', uuids: test.uuids });
  await run.service.ask({ kind: 'randoms', randoms: test.randoms });
  // Tables created by the service are not in the schema, so they are not restored automatically.
  for (const datasource of outboxesOf(run))
    await run.service.ask({ kind: 'update', datasource, sql: 'delete from apikiln_outbox', values: [] });
  for (const { name } of storesOfKeys(run.config))
    await run.service.ask({
      kind: 'update',
      datasource: name.value,
      sql: 'delete from apikiln_idempotency',
      values: [],
    });
  const limits = everyLimit(run.config);
  if (limits.length > 0) await run.service.ask({ kind: 'limits' });
  for (const datasource of new Set(limits.flatMap(({ store }) => store?.value ?? [])))
    await run.service.ask({
      kind: 'update',
      datasource,
      sql: "delete from apikiln_limit where id <> 'secret'",
      values: [],
    });
  for (const step of test.steps) {
    const { findings, isStuck } = await runStep(step, run, kept);
    if (findings.length === 0) continue;
    const traces = isStuck ? [] : await tracesOf(run);
    const masked = new MaskedOutput(run.service.secrets);
    const log = run.service.takeLog().map((line) => masked.text(line));
    return {
      failures: findings.map((finding) => ({
        ...failureOf(masked.finding(finding), step.name),
        traces,
        log,
      })),
      isStuck,
    };
  }
  return { failures: [], isStuck: false };
}

/** Undefined after the service has exited. */
async function tracesOf({ service }: TestRun): Promise<TestFailure['traces']> {
  try {
    return (await service.ask({ kind: 'traces' })).traces ?? [];
  } catch {
    return [];
  }
}

function failureOf({ span, message, path, change }: Finding, step: string | undefined): TestFailure {
  return { step, span, path, message, change, traces: [], log: [] };
}

async function runStep(
  step: TestStep,
  run: TestRun,
  kept: Map<string, unknown>,
): Promise<{ readonly findings: readonly Finding[]; readonly isStuck: boolean }> {
  await tracesOf(run);
  const third = new StubbedApis(step, kept);
  run.play(third);
  await run.service.ask({ kind: 'now', now: step.now });
  let response: ReceivedResponse;
  try {
    response = await act(step, run, kept);
    if (outboxesOf(run).size > 0) await run.service.ask({ kind: 'deliver' });
  } catch (error) {
    const finding = { span: spanOf(step), message: `there was no response: ${reasonOf(error)}` };
    return { findings: [...third.failures(), finding], isStuck: true };
  }
  const compared = compareResponse(step, response, kept, await refusalOf(response, run));
  const findings: Finding[] = [...eachOnce(third.failures()), ...compared];
  const endpoint = endpointOf(step, run);
  if (endpoint !== undefined) findings.push(...compareDescribed(step, response, endpoint));
  for (const rows of step.rowsAfter) findings.push(...(await compareTable(rows, run, kept)));
  for (const [name, value] of third.keptOfMails) kept.set(name, value);
  for (const { name, path } of step.keep) {
    const value = valueAt(response.body, parsePath(path.value) ?? []);
    if (value === undefined)
      findings.push({
        span: path.span,
        message: `there is nothing at ${path.value} in the response, so '${name}' cannot be kept`,
      });
    else kept.set(name, value);
  }
  return { findings, isStuck: false };
}

/** Why the credentials of the request were refused; undefined for another response. */
async function refusalOf(
  { status, headers }: ReceivedResponse,
  { service }: TestRun,
): Promise<string | undefined> {
  const requestId = headers['x-request-id'];
  if ((status !== 401 && status !== 403) || typeof requestId !== 'string') return undefined;
  return (await service.ask({ kind: 'refusal', requestId })).refusal;
}

/** Undefined for an operation that the API description does not have, and for one that is called without a request, or as a tool. */
function endpointOf({ action }: TestStep, { config, endpoints }: TestRun): ApiEndpoint | undefined {
  const isRequest = action.kind === 'request' && action.tool === undefined;
  const operation = isRequest ? requestedOperation(action.request, config) : undefined;
  return endpoints.get(operation?.name.value ?? '');
}

/** A request that no stub expects is sent several times. */
function eachOnce(findings: readonly Finding[]): readonly Finding[] {
  const messages = findings.map(({ message }) => message);
  return findings.filter(({ message }, index) => messages.indexOf(message) === index);
}

/** Databases in which requests wait for the commit. */
function outboxesOf({ config }: TestRun): ReadonlySet<string> {
  return new Set(config.datasources.flatMap((one) => outboxFieldOf(one)?.value ?? []));
}

async function act({ action }: TestStep, run: TestRun, kept: SavedValues): Promise<ReceivedResponse> {
  if (action.kind === 'operation') return call(action, run, kept);
  const response = await request(action, run, kept);
  return action.tool === undefined ? response : toolResponse(response);
}

function request(
  action: RequestAction,
  { service, credentials, readFile }: TestRun,
  kept: SavedValues,
): Promise<ReceivedResponse> {
  const { authentication, claims } = action;
  const filled = (text: string | undefined): string | undefined => text && filledText(text, kept);
  const none: SentCredentials = { headers: {}, query: [] };
  return sendRequest(action, {
    ...{ url: service.url, kept, readFile, timeout: timeLimit },
    credentials: async (content) => {
      if (authentication === undefined) return none;
      const identity = {
        authentication,
        claims: Object.fromEntries(
          (claims?.entries ?? []).map(({ key: claim, value }) => [claim.text.value, jsonOfNode(value, kept)]),
        ),
        key: filled(action.key),
        user: filled(action.user),
        password: filled(action.password),
      };
      return credentials.of(identity, content);
    },
  });
}

async function call(
  { operation, parameters, body }: OperationAction,
  { service }: TestRun,
  kept: SavedValues,
): Promise<ReceivedResponse> {
  const question = {
    kind: 'run',
    operation,
    parameters: Object.fromEntries(
      (parameters?.entries ?? []).map(({ key, value }) => [key.text.value, jsonOfNode(value, kept) as Json]),
    ),
    ...(body === undefined ? {} : { body: jsonOfNode(body, kept) as Json }),
    timeout: 30_000,
  } as const;
  const { reply = { status: 204 } } = (await service.ask(question)) as { readonly reply?: Reply };
  const text = reply.body === undefined ? '' : JSON.stringify(reply.body);
  return { status: reply.status, headers: {}, text, body: reply.body };
}

async function insert(rows: TableRows, run: TestRun, kept: SavedValues): Promise<void> {
  for (const statement of insertStatements(rows, dialectOf(rows, run.config), kept))
    await run.service.ask({ kind: 'update', ...statement, ...ofAllRows(rows, run) });
}

async function compareTable(expected: TableRows, run: TestRun, kept: SavedValues): Promise<Finding[]> {
  const statement = selectStatement(expected, dialectOf(expected, run.config));
  try {
    const { rows = [] } = await run.service.ask({ kind: 'read', ...statement, ...ofAllRows(expected, run) });
    const asJson = JSON.parse(JSON.stringify(rows)) as Record<string, unknown>[];
    return rowDifferences(expected, asJson, { kept, isPartial: !expected.isQuery });
  } catch (error) {
    return [{ span: expected.table.span, message: `the rows cannot be read: ${reasonOf(error)}` }];
  }
}

/** The datasource of the rows, and the role that sees all of them. */
function ofAllRows(
  { datasource }: TableRows,
  { databases }: TestRun,
): { readonly datasource: string; readonly role?: string } {
  const role = databases.get(datasource)?.ownerRole;
  return { datasource, ...(role === undefined ? {} : { role }) };
}

function dialectOf({ datasource }: TableRows, { datasources }: Config): 'postgresql' | 'mysql' {
  return datasources.find(({ name }) => name.value === datasource)?.dialect ?? 'postgresql';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : textOfJson(error);
}
