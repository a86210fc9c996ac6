/** The plan of a client: a module with one function per operation, for programs that call the service. */
import { generatedDescription } from '../../../analyze/describe/read-generated.js';
import { spokenId } from '../../../analyze/describe/generate.js';
import { securityScheme } from '../../../analyze/describe/security-scheme.js';
import { knownValues } from '../../../analyze/describe/values-for-description.js';
import type { CheckedService } from '../../../analyze/check/checked.js';
import { acceptedBy } from '../../../analyze/operations/authentications/accepted.js';
import type { AnalyzedOperation } from '../../../analyze/operations/analyzed-operation.js';
import type { Authentication } from '../../../read/config/config-model.js';
import type { ApiDescription } from '../../../read/openapi/api-model.js';
import { matchingEndpoint } from '../../../read/openapi/match.js';
import { camelCase, uniqueNames, upperFirst } from '../names/identifiers.js';
import { takenFunctions, takenTypes } from './client-names.js';
import {
  compare,
  Models,
  type CalledEndpoint,
  type ClientContext,
  type ClientModel,
} from './client-context.js';
import { planPages, type PagesPlan } from './client-pages.js';
import { noteSentValues, planReplies, type ReplyPlan } from './client-replies.js';
import { planRequest, type RequestInputPlan } from './client-request.js';
import { SentValues } from './sent-values.js';
import { undescribedValues } from './undescribed-values.js';
import { ClientTypes } from './client-types.js';

export interface ClientPlan {
  /** The configuration's file name without folders. */
  readonly configName: string;
  /** Sorted by name, as are models and operations: the order in the configuration does not matter. */
  readonly credentials: readonly CredentialPlan[];
  readonly models: readonly ClientModel[];
  readonly operations: readonly ClientOperation[];
}

/** An authentication, and where its credentials are sent. */
export interface CredentialPlan {
  /** The name in the configuration. */
  readonly name: string;
  readonly kind: 'text' | 'password' | 'signer';
  readonly place: {
    readonly header?: string;
    readonly scheme?: string;
    readonly query?: string;
    readonly cookie?: string;
  };
}

export interface ClientOperation extends RequestInputPlan {
  /** The name of its function. */
  readonly name: string;
  /** `GET /news/{id}`. */
  readonly title: string;
  readonly summary: string | undefined;
  readonly method: string;
  readonly responseType: string;
  /** The name of the type of its input. */
  readonly inputType: string;
  /** The authentications that it accepts. */
  readonly credentials: readonly string[];
  readonly replies: readonly ReplyPlan[];
  /** Undefined if it does not return pages that are continued by a cursor or URL. */
  readonly pages: (PagesPlan & { readonly name: string }) | undefined;
}

/** Deterministic, and independent of everything that clients cannot see, such as statements. */
export function planClient({ analysis }: CheckedService, configName: string): ClientPlan {
  const { config } = analysis;
  const known = knownValues(analysis);
  const values =
    analysis.description === undefined ? { ...known, isApplied: false } : undescribedValues(known);
  const generated = generatedDescription(config, values);
  const description = analysis.description ?? generated;
  const called = analysis.operations
    .flatMap((analyzed) => calledEndpoint(analyzed, analysis.description, generated))
    .sort((a, b) => compare(sortKey(a), sortKey(b)));
  const sent = new SentValues();
  const nullBodies = new Set(called.flatMap((one) => noteSentValues(one, values, sent)));
  const names = namesOf(called);
  const models = new Models(names.types);
  const typesOf = (of: ApiDescription): ClientTypes => new ClientTypes(of, models.nameOf, sent);
  const [ofDescribed, ofGenerated] = [typesOf(description), typesOf(generated)];
  const types: ClientContext['types'] = {
    ...{ described: ofDescribed, generated: ofGenerated },
    of: (one) => (one === generated ? ofGenerated : ofDescribed),
  };
  const operations = called.map((one, index) =>
    planOperation(one, named(names.operations[index]), { config, types, models, values, nullBodies }),
  );
  const used = new Set(operations.flatMap(({ credentials }) => credentials));
  return {
    configName,
    credentials: config.authentications
      .filter(({ name }) => used.has(name.value))
      .map(planCredential)
      .sort((a, b) => compare(a.name, b.name)),
    models: models.all((model) => types.of(model.description)),
    operations,
  };
}

interface OperationNames {
  readonly name: string;
  readonly pages: string;
  readonly response: string;
  readonly input: string;
}

function planOperation(
  called: CalledEndpoint,
  names: OperationNames,
  context: ClientContext,
): ClientOperation {
  const { operation, endpoint, described, generated } = called;
  const { config, types } = context;
  const request = planRequest(called, context);
  const replies = planReplies(called, context);
  const accepted = acceptedBy(operation, config) ?? [];
  const pages = planPages(operation, { request, replies, models: context.models, types });
  return {
    ...request,
    name: names.name,
    title: `${endpoint.method} ${endpoint.path}`,
    summary: described === generated ? undefined : described.summary,
    method: endpoint.method,
    responseType: names.response,
    inputType: names.input,
    credentials: accepted.map(({ value }) => value),
    replies,
    pages: pages && { ...pages, name: names.pages },
  };
}

function calledEndpoint(
  analyzed: AnalyzedOperation,
  description: ApiDescription | undefined,
  all: ApiDescription,
): CalledEndpoint[] {
  const { operation, endpoint: served, mapped } = analyzed;
  const { endpoint } = operation;
  if (endpoint === undefined) return [];
  const generated = matchingEndpoint(all, endpoint);
  const described = description === undefined ? generated : served;
  if (described === undefined || generated === undefined) return [];
  return [{ operation, endpoint, described, generated, mapped }];
}

function planCredential(authentication: Authentication): CredentialPlan {
  const name = authentication.name.value;
  const { type, scheme, in: location, name: key } = securityScheme(authentication);
  if (authentication.type === 'signature' || authentication.type === 'custom')
    return { name, kind: 'signer', place: {} };
  if (type === 'http') {
    const place = { header: 'Authorization', scheme: upperFirst(String(scheme)) };
    return { name, kind: authentication.type === 'basicauth' ? 'password' : 'text', place };
  }
  return { name, kind: 'text', place: { [String(location)]: String(key) } };
}

/** Names that only depend on the contract: on operation ids, methods and paths, and the names of models. */
function namesOf(called: readonly CalledEndpoint[]): {
  readonly operations: readonly OperationNames[];
  readonly types: readonly string[];
} {
  const wished = called.map(({ endpoint, described, generated }) =>
    camelCase((described === generated ? undefined : described.operationId) ?? spokenId(endpoint), 'call'),
  );
  const titles = called.map(({ endpoint: { method, path } }) => `${method} ${path}`);
  const functions = uniqueNames(
    [...wished, ...wished.map((name) => `${name}Pages`)],
    [...titles, ...titles.map((title) => `pages ${title}`)],
    takenFunctions,
  );
  const types = uniqueNames(
    wished.flatMap((name) => [`${upperFirst(name)}Response`, `${upperFirst(name)}Input`]),
    titles.flatMap((title) => [`response ${title}`, `input ${title}`]),
    takenTypes,
  );
  const operations = called.map((_, index) => ({
    name: functions[index] ?? '',
    pages: functions[called.length + index] ?? '',
    response: types[2 * index] ?? '',
    input: types[2 * index + 1] ?? '',
  }));
  return { operations, types };
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Sorts by path, then by method. */
function sortKey({ endpoint }: CalledEndpoint): string {
  return `${endpoint.path} ${methods.indexOf(endpoint.method)}`;
}

function named<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The operation has no name.');
  return value;
}
