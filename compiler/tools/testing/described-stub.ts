/** Compares a third-party stub with the third party's description. */
import {
  forbiddenValueWording,
  undescribedNameWording,
  undescribedPath,
  undescribedPathWording,
} from '../../analyze/check/described-wording.js';
import {
  problemsOf,
  textProblem,
  wrong,
  type Sent,
  type SentProblem,
} from '../../analyze/check/sent-value.js';
import { stubbedRequest } from '../../analyze/operations/requests/third-party-request.js';
import { constantOf, nullValue } from '../../analyze/types/known-types.js';
import { isBroken, type Node, type ScalarNode } from '../../read/config/yaml/node.js';
import type { Wording } from '../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../read/diagnostics/quoted-list.js';
import { nearest } from '../../read/diagnostics/suggest.js';
import type { ApiEndpoint, ApiResponse } from '../../read/openapi/api-model.js';
import { fitsMediaType } from '../../read/openapi/media-type.js';
import type { Span } from '../../read/source.js';
import { keptValue } from './read/read-values.js';
import type { Stub } from './read/test-model.js';
import type { StubScope } from './read/test-scope.js';

/**
 * Reports each part of the stub that contradicts the description. Missing parts are not reported, because tests need only part of a
 * response.
 */
export function checkStub(stub: Stub, { config, thirdParties, report }: StubScope): void {
  const { datasource: name, request } = stub;
  const thirdParty = thirdParties.get(name);
  const datasource = config.datasources.find((one) => one.name.value === name);
  if (thirdParty === undefined || datasource === undefined) return;
  const { method, target, span } = request;
  const add = (at: Span, { message: problem, ...others }: Wording): void => {
    report.add('undescribed-stub', at, { ...others, problem });
  };
  const found = stubbedRequest(thirdParty, method, target.split(keptParts).map(textOrValue), datasource);
  if (found === undefined) return;
  const { endpoint } = found;
  if (endpoint === undefined) add(span, undescribedPathWording(undescribedPath(found, method, name, span)));
  // With a fault, the service does not get a complete response.
  if (endpoint === undefined || stub.fault !== undefined) return;
  const response = responseTo(stub.status, endpoint);
  if (response === undefined) {
    if (!isOfAnyServer(stub.status))
      add(stub.statusSpan ?? span, undescribedStatus(stub.status, endpoint, name));
    return;
  }
  const seen = new Set<string>();
  for (const problem of [...headerProblems(stub, response, name), ...bodyProblems(stub, response, name)]) {
    // List elements repeat the same problems.
    if (!seen.has(problem.wording.message)) add(problem.span, problem.wording);
    seen.add(problem.wording.message);
  }
}

/** Like `keptValue`, but also captures the text around it. */
const keptParts = new RegExp(`(${keptValue.source.replaceAll('([', '(?:[')})`);

function textOrValue(part: string, index: number): string | undefined {
  return index % 2 === 1 ? undefined : part;
}

function responseTo(status: number, { responses }: ApiEndpoint): ApiResponse | undefined {
  return (
    responses.get(String(status)) ??
    responses.get(`${Math.floor(status / 100)}XX`) ??
    responses.get('default')
  );
}

/** Whether any server or proxy may send the status, so that descriptions rarely contain it. */
function isOfAnyServer(status: number): boolean {
  return status >= 500 || [401, 403, 408, 429].includes(status);
}

function undescribedStatus(status: number, { method, path, responses }: ApiEndpoint, name: string): Wording {
  return {
    message: `The description of '${name}' has no response ${status} to ${method} ${path}.`,
    hint:
      responses.size === 0 ? 'It has no responses.' : `Its statuses are ${[...responses.keys()].join(', ')}.`,
  };
}

interface StubProblem {
  readonly span: Span;
  readonly wording: Wording;
}

function headerProblems(stub: Stub, response: ApiResponse, name: string): StubProblem[] {
  const { contentTypes, headers } = response;
  const written = contentTypeOf(stub);
  const type = written?.text.value ?? 'application/json';
  const span = written?.span ?? stub.responseBody?.span;
  const isDescribed = contentTypes.some((described) => fitsMediaType(type, described));
  const others = (stub.responseHeader?.entries ?? []).flatMap(({ key, value }): StubProblem[] => {
    const schema = headers?.get(key.text.value.toLowerCase());
    if (schema === undefined || value.kind !== 'scalar' || holdsValue(value)) return [];
    const text = value.text.value;
    // Header values are not printed, so the problem is reported at the name.
    const problem = textProblem(text, schema);
    return problem === undefined
      ? []
      : ofValue({ ...wrong(key.span, problem, text, schema), written: undefined }, name);
  });
  if (span === undefined || isDescribed || contentTypes.length === 0 || (written && holdsValue(written)))
    return others;
  const wording = {
    message: `The description of '${name}' has no response of type ${type} with this status.`,
    hint: `It has ${quotedList(contentTypes)}.`,
  };
  return [{ span, wording }, ...others];
}

function bodyProblems(stub: Stub, { json }: ApiResponse, name: string): StubProblem[] {
  const { responseBody } = stub;
  const isJson = /json/i.test(contentTypeOf(stub)?.text.value ?? 'json');
  if (responseBody === undefined || json === undefined || !isJson) return [];
  const sent = sentOf(responseBody, responseBody.span);
  return problemsOf(sent, json, 'result').flatMap((problem) => ofValue(problem, name));
}

function contentTypeOf({ responseHeader }: Stub): ScalarNode | undefined {
  const entry = responseHeader?.entries.find(({ key }) => key.text.value.toLowerCase() === 'content-type');
  return entry?.value.kind === 'scalar' ? entry.value : undefined;
}

/** Whether the string contains a value kept by an earlier step. */
function holdsValue({ text }: ScalarNode): boolean {
  return text.value.includes(':[');
}

function ofValue(problem: SentProblem, datasource: string): StubProblem[] {
  const { span } = problem;
  if (problem.kind === 'wrong') return [{ span, wording: forbiddenValueWording({ ...problem, datasource }) }];
  // Third parties send more than they describe; but a name that is almost one of theirs is misspelled.
  if (problem.kind === 'missing' || (!problem.isClosed && nearest(problem.name, problem.free) === undefined))
    return [];
  const named = { ...problem, datasource, what: 'field', where: 'in this response' };
  return [{ span, wording: undescribedNameWording(named) }];
}

/** `span` is the position of its name. */
function sentOf(node: Node, span: Span): Sent {
  switch (node.kind) {
    case 'scalar': {
      const { value } = node;
      const type = value === null ? nullValue : constantOf(value);
      return { kind: 'leaf', span: node.span, type: isBroken(node) || holdsValue(node) ? undefined : type };
    }
    case 'list':
      return { kind: 'array', span, items: node.items.map((item) => sentOf(item, item.span)) };
    case 'map':
      return {
        ...{ kind: 'object', span },
        fields: node.entries.map(({ key, value }) => ({
          ...{ key: key.text.value, span: key.span },
          value: sentOf(value, key.span),
        })),
      };
  }
}
