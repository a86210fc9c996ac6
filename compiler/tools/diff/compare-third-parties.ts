/** Breaking changes in an update of a third party's description: both versions are compared where the configuration uses them. */
import { missingParts, pathValues, wrongValues, type SentSite } from '../../analyze/check/sent-request.js';
import type { CheckedFulfillment } from '../../analyze/check/checked.js';
import type { AnalyzedOperation } from '../../analyze/operations/analyzed-operation.js';
import type { ThirdPartyRequest } from '../../analyze/operations/requests/third-party-request.js';
import {
  nothingRead,
  partThatIsRead,
  readSchemas,
  readsOfResults,
  type Reads,
} from '../../generate/plan/responses/described-responses.js';
import type { Datasource, Request, Schema } from '../../read/config/config-model.js';
import type { ApiEndpoint, ApiSchema } from '../../read/openapi/api-model.js';
import { branchesOf, expectsOthers, schemasAt } from '../../read/openapi/schema-part.js';
import type { ThirdParty } from '../../read/openapi/third-party/third-party.js';
import type { ServiceView, ViewedOperation } from '../explain/service-view.js';
import { breaking as gone, compareInput, compareOutput, type ShapeChange } from './compare-shapes.js';
import { shapeOfSchema } from './value-shape.js';

/** A request of an operation in one of the configurations. */
interface Sent {
  readonly request: Request;
  readonly found: ThirdPartyRequest | undefined;
  /** Undefined if the datasource has no description. */
  readonly thirdParty: ThirdParty | undefined;
  readonly site: SentSite;
  /** Matches requests between both configurations. */
  readonly key: string;
}

/** A request whose datasource has a description. */
type Described = Sent & { readonly found: ThirdPartyRequest };

export interface ThirdPartyBreak {
  readonly datasource: string;
  readonly text: string;
}

export function compareThirdParties(
  [old, before]: readonly [ViewedOperation, ServiceView],
  [now, after]: readonly [ViewedOperation, ServiceView],
): ThirdPartyBreak[] {
  const known = new Map(requestsOf(old, before).map((sent) => [sent.key, sent]));
  return requestsOf(now, after).flatMap((sent) => {
    const was = known.get(sent.key);
    const texts = was === undefined ? [] : breaksOf(was, sent);
    return [...new Set(texts)].map((text) => ({ datasource: sent.site.datasource.name.value, text }));
  });
}

function requestsOf({ checked }: ViewedOperation, { analysis }: ServiceView): Sent[] {
  const { analyzed } = checked;
  const requestsIn = (fulfillments: readonly CheckedFulfillment[], around: string): Sent[] =>
    fulfillments.flatMap((fulfillment): Sent[] => {
      const at = `${around}/${fulfillment.written.name.value}`;
      if (fulfillment.type === 'loop') return requestsIn(fulfillment.fulfillments, at);
      if (fulfillment.type !== 'data') return [];
      const { datasource, instructions } = fulfillment;
      return instructions.flatMap(({ action }, index) =>
        action.kind === 'request' ? [sentBy(action.request, datasource, `${at} ${index}`)] : [],
      );
    });
  const sentBy = (request: Request, datasource: Datasource, at: string): Sent => ({
    ...{ request, found: analysis.thirdParty(request, datasource), site: { analyzed, datasource } },
    thirdParty: analysis.beside.thirdParties.get(datasource.name.value),
    // The URL is part of the key, because the description treats different requests differently.
    key: `${at} ${request.httpType.value} ${request.url?.value.map((part) => (typeof part === 'string' ? part : '[]')).join('') ?? ''}`,
  });
  return requestsIn(checked.fulfillments, '');
}

function breaksOf(old: Sent, now: Sent): string[] {
  const [was, is] = [old.found, now.found];
  if (was?.endpoint === undefined || now.thirdParty === undefined) return [];
  const line = `${was.endpoint.method} ${was.endpoint.path}`;
  // A URL with values may match constant segments of several paths, so an unmatched path may still exist.
  if (is === undefined)
    return now.thirdParty.paths.includes(was.endpoint.path) ? [] : [`${line} was removed`];
  if (is.endpoint === undefined) return [`${line} was removed`];
  const [before, after]: [Described, Described] = [
    { ...old, found: was },
    { ...now, found: is },
  ];
  return [
    ...added(before, after, ({ request, found, site }) =>
      missingParts(request, found, site).map(
        ({ what, name }) => `${what} '${name}' is required now, but is not sent`,
      ),
    ),
    ...added(before, after, ({ request, found, site }) =>
      wrongValues(request, found, site).map(
        ({ written, problem }) =>
          `${written === undefined ? 'a value' : `'${written}'`} is forbidden now: ${problem}`,
      ),
    ),
    ...breaking(compareSent(after, was.endpoint, is.endpoint)),
    ...breaking(compareResults(now, was.endpoint, is.endpoint)),
  ].map((text) => `${line}: ${text}`);
}

/** Texts of the new side that are missing on the old side. */
function added(old: Described, now: Described, textsOf: (sent: Described) => readonly string[]): string[] {
  const known = new Set(textsOf(old));
  return textsOf(now).filter((text) => !known.has(text));
}

function breaking(changes: readonly ShapeChange[]): string[] {
  return changes.filter(({ isBreaking }) => isBreaking).map(({ text }) => text);
}

/** Compares parameters and body parts with values of calls; constants are compared separately. */
function compareSent({ request, found, site }: Described, old: ApiEndpoint, now: ApiEndpoint): ShapeChange[] {
  const inUrl = [
    ...pathValues(found).map((one) => ({ place: 'path', ...one })),
    ...found.query.map((one) => ({ place: 'query', ...one })),
  ];
  const parameters = inUrl.flatMap(({ place, name, value }): ShapeChange[] => {
    const schemaIn = ({ parameters: all }: ApiEndpoint) =>
      all.find((one) => one.in === place && one.name === name)?.schema;
    const [was, is] = [schemaIn(old), schemaIn(now)];
    return value !== undefined || was === undefined || is === undefined
      ? []
      : compareInput(shapeOfSchema(was), shapeOfSchema(is), `${place} parameter '${name ?? ''}'`);
  });
  const { body, bodyType } = request;
  const bodyIn = (endpoint: ApiEndpoint) =>
    bodyType === 'form' ? endpoint.body?.form?.schema : endpoint.body?.json;
  const [was, is] = [bodyIn(old), bodyIn(now)];
  if (body === undefined || was === undefined || is === undefined) return parameters;
  const reads = valuesIn(body, site.analyzed);
  const partOf = (schema: ApiSchema) => shapeOfSchema(partThatIsRead(schema, reads));
  return [...parameters, ...compareInput(partOf(was), partOf(is), 'body')];
}

/** The non-constant values of a body, as `Reads`. */
function valuesIn(schema: Schema, analyzed: AnalyzedOperation): Reads {
  const reads = nothingRead();
  if (schema.kind === 'array') reads.elements = valuesIn(schema.item, analyzed);
  if (schema.kind === 'object')
    for (const { key, value } of schema.fields) {
      const type = value.kind === 'leaf' ? analyzed.flow.built.get(value) : undefined;
      if (type?.constant === undefined) reads.fields.set(key, valuesIn(value, analyzed));
    }
  return reads;
}

/** Compares the parts of responses that are read and that both versions describe. */
function compareResults({ request, site }: Sent, old: ApiEndpoint, now: ApiEndpoint): ShapeChange[] {
  const reads = readsOfResults(site.analyzed).get(request);
  if (reads === undefined) return [];
  const before = new Map(readSchemas(old, reads, true));
  return readSchemas(now, reads, true).flatMap(([status, schema]) => {
    const was = before.get(status);
    const [first, second] = [old, now].map(({ responses }) => responses.get(status)?.json);
    if (was === undefined || first === undefined || second === undefined) return [];
    const at = `response ${status}`;
    return [
      ...goneFields(reads, [first], [second], at),
      ...compareOutput(shapeOfSchema(was), shapeOfSchema(schema), at),
    ];
  });
}

/**
 * Fields that were removed. Unlike the comparison of shapes, also finds the removal of an object's last field, where the remaining shape is
 * unknown.
 */
function goneFields(
  { fields, elements }: Reads,
  old: readonly ApiSchema[],
  now: readonly ApiSchema[],
  at: string,
): ShapeChange[] {
  const branches = now.flatMap(branchesOf);
  const isDescribed = branches.some(({ properties }) => properties.size > 0) && !branches.some(expectsOthers);
  const ofElements =
    elements === undefined
      ? []
      : goneFields(elements, schemasAt(old, [{ kind: 'all' }]), schemasAt(now, [{ kind: 'all' }]), `${at}[]`);
  return [
    ...ofElements,
    ...[...fields].flatMap(([name, inner]): ShapeChange[] => {
      const path = [{ kind: 'name', name }] as const;
      const [was, is] = [schemasAt(old, path), schemasAt(now, path)];
      if (was.length === 0) return [];
      if (is.length === 0) return isDescribed ? [gone(`${at}.${name} was removed`)] : [];
      return goneFields(inner, was, is, `${at}.${name}`);
    }),
  ];
}
