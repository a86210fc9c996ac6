/** An endpoint of the API description as served by its operation, with only those kinds of bodies that the operation accepts. */
import type { Operation } from '../../../read/config/config-model.js';
import { nodesOf } from '../../../read/config/walk.js';
import type { ApiBody, ApiEndpoint } from '../../../read/openapi/api-model.js';
import { formFields } from '../../../read/openapi/form.js';

/** A cache, so that the changed endpoint keeps its identity. */
const withoutFields = new WeakMap<ApiEndpoint, ApiEndpoint>();

/**
 * Descriptions often declare application/x-www-form-urlencoded in addition to JSON although no client sends it. Such a form is accepted
 * only if `operations` (the endpoint's operation and those that it calls) read one of its fields: otherwise BODY would be null for forms.
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
