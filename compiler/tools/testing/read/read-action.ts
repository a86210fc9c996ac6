/** The action of a test: a request, a call of an operation, or a timer run. */
import { Fields } from '../../../read/config/fields.js';
import type { Authentication, AuthenticationOf, Config } from '../../../read/config/config-model.js';
import type { MapNode } from '../../../read/config/yaml/node.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import type { WithSpan } from '../../../read/source.js';
import { readHeader } from './read-header-map.js';
import { pathOf, requestedOperation } from './requested-operation.js';
import type { TestScope } from './test-scope.js';
import { ofActions, testFields } from './test-fields.js';
import type {
  CalledTool,
  ExpectedResponse,
  OperationAction,
  Part,
  RequestAction,
  RequestLine,
  TestAction,
} from './test-model.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';

/** Undefined if the step does not have a valid action, which is reported. */
export function readAction(
  fields: Fields,
  response: ExpectedResponse | undefined,
  scope: TestScope,
): TestAction | undefined {
  const { report } = scope;
  const actions = ['request', 'operationName', 'tool', 'trigger'].filter((field) => fields.has(field));
  const isTrigger = fields.has('trigger');
  const written = isTrigger ? actions.filter((field) => field !== 'operationName') : actions;
  if (written.length !== 1) {
    const what = fields.resource;
    if (!fields.hasStrangeField || written.length > 1)
      report.add('test-action', fields.headSpan, {
        what,
        written,
        isList: what.startsWith('Test') || what === 'A test',
      });
    return undefined;
  }
  const kind = isTrigger ? 'trigger' : (written[0] as 'request' | 'operationName' | 'tool');
  rejectOthers(fields, kind, scope);
  if (kind === 'request') return readRequest(fields, response, scope);
  if (kind === 'tool') return readToolCall(fields, scope);
  return kind === 'trigger' ? readTriggerRun(fields, scope) : readCall(fields, scope);
}

/** Reports fields that belong to other actions. */
function rejectOthers(fields: Fields, kind: keyof typeof ofActions, { report }: TestScope): void {
  const all = [...new Set(Object.values(ofActions).flat())];
  const own: readonly string[] = ofActions[kind];
  for (const field of all) {
    if (field === 'operationName' || own.includes(field) || !fields.has(field)) continue;
    report.add('test-value', fields.spans.get(field) ?? fields.headSpan, {
      problem: `'${field}' does not belong to '${kind}'.`,
      hint: `Remove it. With '${kind}' a test can only have ${quotedList(own)}.`,
    });
  }
}

function readRequest(
  fields: Fields,
  response: ExpectedResponse | undefined,
  scope: TestScope,
): RequestAction | undefined {
  const request = readRequestLine(fields.stringWithSpan('request'), scope);
  if (request === undefined) return undefined;
  checkHasOperation(request, response, scope);
  return requestAction(request, undefined, fields, scope);
}

/** The call of a tool, which is a request to the endpoint of MCP clients. */
function readToolCall(fields: Fields, scope: TestScope): RequestAction | undefined {
  const written = fields.stringWithSpan('tool');
  if (written === undefined) return undefined;
  const { config, report } = scope;
  const known = config.operations.flatMap(({ tool }) => tool?.name?.value ?? []);
  const { value: name, span } = written;
  if (!known.includes(name)) {
    report.add('test-value', span, {
      problem: `Unknown tool '${name}'.`,
      hint: known.length === 0 ? "Add 'tool' to an operation." : `Write one of ${known.join(', ')}.`,
      instead: nearest(name, known),
    });
    return undefined;
  }
  const target = config.settings.basePath + (config.mcp?.path.value ?? '');
  const tool = { name, arguments: fields.section('arguments') };
  return requestAction({ method: 'POST', target, span }, tool, fields, scope);
}

function requestAction(
  request: RequestLine,
  tool: CalledTool | undefined,
  fields: Fields,
  scope: TestScope,
): RequestAction {
  const authentication = fields.stringWithSpan('authentication');
  const accounts = scope.config.authentications.map(({ name }) => name.value);
  if (authentication !== undefined && !accounts.includes(authentication.value))
    scope.report.add('test-value', authentication.span, {
      problem: `Unknown authentication '${authentication.value}'.`,
      hint:
        accounts.length === 0
          ? `Add '${authentication.value}' to the section 'authentications' of the configuration, or remove this line.`
          : `Write one of ${accounts.join(', ')}.`,
      instead: nearest(authentication.value, accounts),
    });
  const type = scope.config.authentications.find(({ name }) => name.value === authentication?.value);
  checkIdentity(fields, type, scope);
  return {
    kind: 'request',
    request,
    query: fields.section('query'),
    header: readHeader(fields, scope),
    body: fields.node('body'),
    bodyText: fields.has('bodyText') ? fields.text('bodyText')?.value : undefined,
    form: fields.section('form'),
    multipart: readParts(fields.section('multipart'), scope),
    authentication: authentication?.value,
    claims: fields.section('claims'),
    key: fields.has('key') ? fields.text('key')?.value : undefined,
    user: fields.has('user') ? fields.text('user')?.value : undefined,
    password: fields.has('password') ? fields.text('password')?.value : undefined,
    tool,
  };
}

/** Reports credentials that the authentication does not define. */
function checkIdentity(
  fields: Fields,
  authentication: Authentication | undefined,
  { report }: TestScope,
): void {
  const { name, type } = authentication ?? {};
  const wrong = (field: string, problem: string, hint: string): void => {
    report.add('test-value', fields.spans.get(field) ?? fields.headSpan, { problem, hint });
  };
  for (const [field, of] of [
    ['claims', 'jwt'],
    ['key', 'apikey'],
    ['user', 'basicauth'],
    ['password', 'basicauth'],
  ] as const) {
    if (!fields.has(field) || type === of || (fields.has('authentication') && type === undefined)) continue;
    wrong(
      field,
      `'${field}' is for an authentication of type ${of}${name === undefined ? '' : `, and '${name.value}' is of type ${type ?? ''}`}.`,
      name === undefined ? "Add 'authentication'." : 'Remove it.',
    );
  }
  if (type === 'custom')
    wrong(
      'authentication',
      `The credentials of '${name?.value ?? ''}' are known to src/middleware.ts alone.`,
      "Write them with 'header' instead.",
    );
  if (authentication?.type === 'basicauth') checkAccount(fields, authentication, wrong);
  if (authentication?.type !== 'apikey') return;
  const { keys, operation } = authentication;
  const key = fields.has('key') ? fields.text('key')?.value : undefined;
  const names = keys.map((one) => one.name.value);
  if (operation !== undefined && !fields.has('key'))
    wrong(
      'authentication',
      `'${authentication.name.value}' finds the caller of a key with the operation '${operation.value}'.`,
      "Add 'key' with a key whose SHA-256 is in the rows.",
    );
  else if (operation === undefined && key !== undefined && !names.includes(key))
    wrong('key', `'${authentication.name.value}' has no key '${key}'.`, `Write one of ${names.join(', ')}.`);
}

/** An account of the configuration has its own user and password. */
function checkAccount(
  fields: Fields,
  { name, operation }: AuthenticationOf<'basicauth'>,
  wrong: (field: string, problem: string, hint: string) => void,
): void {
  const given = ['user', 'password'].filter((field) => fields.has(field));
  if (operation === undefined && given[0] !== undefined)
    wrong(given[0], `'${name.value}' has its user and password in the configuration.`, 'Remove it.');
  else if (operation !== undefined && given.length < 2)
    wrong(
      'authentication',
      `'${name.value}' finds accounts with the operation '${operation.value}'.`,
      "Add 'user' and 'password' of an account in the rows.",
    );
}

/** Reads a request line such as `GET /news/1?q=pots`. */
export function readRequestLine(
  written: WithSpan<string> | undefined,
  { report }: Pick<TestScope, 'report'>,
): RequestLine | undefined {
  if (written === undefined) return undefined;
  const { value, span } = written;
  const [, method, target] = /^\s*(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+(\/\S*)\s*$/i.exec(value) ?? [];
  if (method !== undefined && target !== undefined) return { method: method.toUpperCase(), target, span };
  report.add('test-value', span, {
    problem: `'${value}' is not a request.`,
    hint: `Write a method, a space and a path: GET ${value.startsWith('/') && !/\s/.test(value) ? value : '/news/1'}`,
  });
  return undefined;
}

/** A request without a matching operation is only valid if 404 or 405 is expected. */
function checkHasOperation(
  { method, target, span }: RequestLine,
  response: ExpectedResponse | undefined,
  { config, report, hasOwnPages }: TestScope,
): void {
  const path = pathOf(target);
  const { basePath, debug, apiDocs } = config.settings;
  const status = response?.statuscode?.value;
  const isFixed = (debug || apiDocs) && /^\/(?:docs-ui|v3\/api-docs)/.test(path);
  const isServed = requestedOperation({ method, target }, config) !== undefined;
  if (isServed || isFixed || hasOwnPages || status === 404 || status === 405 || method === 'OPTIONS') return;
  // With the values of the request instead of parameters, only misspelt parts differ.
  const known = config.operations.flatMap(({ endpoint }) =>
    endpoint === undefined ? [] : `${endpoint.method} ${withValues(basePath + endpoint.path, path)}`,
  );
  const name = `${method} ${path}`;
  report.add('test-operation', span, { name, nearest: nearest(name, known), known, isRequest: true });
}

/** Inserts the request's values into a path: `/news/{id}` becomes `/news/1`, if the numbers of segments match. */
function withValues(shape: string, path: string): string {
  const segments = path.split('/');
  const parts = shape.split('/');
  if (parts.length !== segments.length) return shape;
  return parts.map((part, index) => (/^\{[^{}]*\}$/.test(part) ? (segments[index] ?? part) : part)).join('/');
}

function readParts(map: MapNode | undefined, { report, problemOfFile }: TestScope): Part[] {
  return (map?.entries ?? []).flatMap(({ key, value }): Part[] => {
    const none = { file: undefined, filename: undefined, contentType: undefined };
    const name = key.text.value;
    if (value.kind === 'scalar') return [{ name, text: value.text.value, ...none }];
    if (value.kind === 'list') {
      report.add('wrong-kind', value.span, {
        what: `The part '${name}'`,
        expected: 'a string, or a map with text or file',
        example: `${name}: { file: report.pdf }`,
      });
      return [];
    }
    const fields = new Fields(`Part '${name}'`, value, testFields['a part'], report);
    const file = fields.text('file');
    const problem = file && problemOfFile(file.value);
    if (problem !== undefined)
      report.add('test-file', fields.spans.get('file') ?? fields.headSpan, {
        path: file?.value ?? '',
        problem,
      });
    return [
      {
        name,
        text: fields.text('text')?.value ?? '',
        file: file?.value,
        filename: fields.text('filename')?.value,
        contentType: fields.text('contentType')?.value,
      },
    ];
  });
}

function readCall(fields: Fields, scope: TestScope): OperationAction | undefined {
  const operation = operationNamed(fields.stringWithSpan('operationName'), scope);
  if (operation === undefined) return undefined;
  return {
    kind: 'operation',
    operation,
    parameters: fields.section('parameters'),
    body: fields.node('body'),
  };
}

function operationNamed(
  written: WithSpan<string> | undefined,
  { config, report }: TestScope,
): string | undefined {
  if (written === undefined) return undefined;
  const known = config.operations.map(({ name }) => name.value);
  const { value: name, span } = written;
  if (known.includes(name)) return name;
  report.add('test-operation', span, { name, nearest: nearest(name, known), known, isRequest: false });
  return undefined;
}

function readTriggerRun(fields: Fields, scope: TestScope): OperationAction | undefined {
  const trigger = fields.stringWithSpan('trigger');
  const isNamed = fields.has('operationName');
  const operation = isNamed ? operationNamed(fields.stringWithSpan('operationName'), scope) : undefined;
  if (trigger === undefined || (isNamed && operation === undefined)) return undefined;
  const candidates = scope.config.operations.filter(({ name }) => !isNamed || name.value === operation);
  const found = candidates.filter(({ triggers }) =>
    triggers.some(({ name }) => name.value === trigger.value),
  );
  const [first] = found;
  if (first !== undefined && found.length === 1)
    return { kind: 'operation', operation: first.name.value, parameters: undefined, body: undefined };
  const known = triggerNames(scope.config);
  scope.report.add('test-trigger', trigger.span, {
    name: trigger.value,
    nearest: nearest(trigger.value, known),
    known,
    operations: found.map(({ name }) => name.value),
  });
  return undefined;
}

function triggerNames({ operations }: Config): string[] {
  return [...new Set(operations.flatMap(({ triggers }) => triggers.map(({ name }) => name.value)))];
}
