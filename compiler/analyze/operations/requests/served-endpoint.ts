/** An endpoint of the API description as served by its operation, with only those kinds of bodies that the operation accepts. */
import type { AcceptedBody, Operation } from '../../../read/config/config-model.js';
import { nodesOf } from '../../../read/config/walk.js';
import type { ApiBody, ApiEndpoint, ApiSchema } from '../../../read/openapi/api-model.js';
import { formFields } from '../../../read/openapi/form.js';
import { acceptedTypes } from './accepted-types.js';

/** A cache, so that the changed endpoint keeps its identity. */
const withoutFields = new WeakMap<ApiEndpoint, ApiEndpoint>();

/**
 * Descriptions often declare application/x-www-form-urlencoded in addition to JSON although no client sends it. Such a form is accepted
 * only if `operations` (the endpoint's operation and those that it calls) read one of its fields: otherwise BODY would be null for forms.
 */
export function servedEndpoint(
  written: ApiEndpoint,
  accepts: AcceptedBody | undefined,
  operations: () => Iterable<Operation>,
): ApiEndpoint {
  const endpoint = withTypes(written, accepts);
  const { body } = endpoint;
  if (body?.json === undefined || body.form?.types.includes('urlencoded') !== true) return endpoint;
  const names = new Set(formFields(body.form).map(({ name }) => name));
  for (const { name } of endpoint.parameters) names.delete(name);
  if (readsOne(operations(), names)) return endpoint;
  const known = withoutFields.get(endpoint);
  if (known !== undefined) return known;
  const changed = { ...endpoint, body: withoutUrlencoded(body) };
  withoutFields.set(endpoint, changed);
  return changed;
}

/** By endpoint and content types, because a watched configuration can change its types, and keep its description. */
const withOtherTypes = new WeakMap<ApiEndpoint, Map<string, ApiEndpoint>>();

/** The endpoint with the schema of the first content type that the operation accepts. */
function withTypes(endpoint: ApiEndpoint, accepts: AcceptedBody | undefined): ApiEndpoint {
  const { body } = endpoint;
  const types = acceptedTypes(accepts);
  if (body === undefined || types === undefined) return endpoint;
  const all = withOtherTypes.get(endpoint) ?? new Map<string, ApiEndpoint>();
  withOtherTypes.set(endpoint, all);
  const key = types.join();
  const known = all.get(key);
  if (known !== undefined) return known;
  const [json] = types.flatMap((type) => describedContent(body, type)?.schema ?? []);
  const changed = { ...endpoint, body: { ...body, json, isAny: false } };
  all.set(key, changed);
  return changed;
}

/** The content of the media type in the description, also as a wildcard; undefined if there is none. */
export function describedContent(
  { contents }: ApiBody,
  type: string,
): { readonly schema: ApiSchema | undefined } | undefined {
  const [kind = ''] = type.split('/');
  const names = [type, `${kind}/*`, '*/*'];
  const found = names.flatMap((name) =>
    [...contents].filter(([written]) => (written.split(';')[0] ?? '').trim().toLowerCase() === name),
  )[0];
  return found && { schema: found[1] };
}

function readsOne(operations: Iterable<Operation>, names: ReadonlySet<string>): boolean {
  return [...operations].flatMap(nodesOf).some((node) => node.kind === 'param' && names.has(node.name));
}

function withoutUrlencoded(body: ApiBody): ApiBody {
  const types = body.form?.types.filter((type) => type !== 'urlencoded') ?? [];
  return { ...body, form: body.form && types.length > 0 ? { ...body.form, types } : undefined };
}
