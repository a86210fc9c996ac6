/** Determines which responses of an operation are built from mappings, and how. */
import type { Mapping, Operation, Response } from '../../read/config/config-model.js';
import { neverHasBody } from '../../read/config/status.js';
import { Recording } from '../../read/diagnostics/recording.js';
import type { ApiDescription, ApiEndpoint } from '../../read/openapi/api-model.js';
import type { Body } from './body-parts.js';
import { BodyBuilder } from './build-body.js';
import { describedBody } from './described.js';
import type { Join } from './written-joins.js';

export interface MappedResponses {
  /** The response bodies that contain a mapped model. */
  readonly bodies: ReadonlyMap<Response, Body>;
  /** The mappings used by the bodies. */
  readonly mappings: ReadonlySet<Mapping>;
  readonly joins: ReadonlySet<Join>;
  /** The reasons why a body cannot be built or may be unintended. */
  readonly findings: Recording;
}

/** Skips responses that have a schema or cannot have a body. `joins` are the operation's joins without duplicates. */
export function mappedResponses(
  operation: Operation,
  description: ApiDescription | undefined,
  endpoint: ApiEndpoint | undefined,
  joins: readonly Join[],
): MappedResponses {
  // A model may just refer to another model.
  const mappings = operation.mappings.map((mapping): [string, Mapping] => {
    const name = mapping.model.value;
    return [description?.models.get(name)?.model ?? name, mapping];
  });
  const findings = new Recording();
  const builder = new BodyBuilder(operation, new Map(mappings), joins, findings);
  const bodies = new Map<Response, Body>();
  for (const response of operation.mappings.length === 0 ? [] : operation.responses.filter(canBeMapped)) {
    const schema = describedBody(response, endpoint);
    const body = schema && builder.build(schema);
    if (body !== undefined) bodies.set(response, body);
  }
  return { bodies, mappings: builder.usedMappings, joins: builder.usedJoins, findings };
}

function canBeMapped({ default: isDefault, if: condition, statuscode, fields }: Response): boolean {
  const isUsed = isDefault || condition !== undefined;
  return isUsed && !fields.has('schema') && !neverHasBody(statuscode.value);
}
