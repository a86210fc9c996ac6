/** An endpoint of the API description as the operation that serves it sees it: the kinds of bodies that it accepts. */
import type { Operation } from '../../../read/config/config-model.js';
import { nodesOf } from '../../../read/config/walk.js';
import type { ApiBody, ApiEndpoint } from '../../../read/openapi/api-model.js';
import { formFields } from '../../../read/openapi/form.js';

/** Each is changed once, so that it stays the same object. */
const withoutFields = new WeakMap<ApiEndpoint, ApiEndpoint>();

/**
 * Descriptions often declare application/x-www-form-urlencoded in addition to JSON although no client sends it. Such a form is accepted
 * only if one of `operations`, the operation of the endpoint and those that it calls, reads one of its fields: otherwise BODY would be null
 * for it.
 */
export function servedEndpoint(endpoint: ApiEndpoint, operations: () => Iterable<Operation>): ApiEndpoint {
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

function readsOne(operations: Iterable<Operation>, names: ReadonlySet<string>): boolean {
  return [...operations].flatMap(nodesOf).some((node) => node.kind === 'param' && names.has(node.name));
}

function withoutUrlencoded(body: ApiBody): ApiBody {
  const types = body.form?.types.filter((type) => type !== 'urlencoded') ?? [];
  return { ...body, form: body.form && types.length > 0 ? { ...body.form, types } : undefined };
}
