/** The operation for an endpoint whose purpose cannot be derived from the description: returns 501 until the user completes it. */
import { sql } from '../../../notation/sql-writer.js';
import type { ApiEndpoint } from '../../../read/openapi/api-model.js';
import type { DescribedOperation, OperationStyle } from './described-steps.js';
import { onlyResponse } from '../operation-entry.js';

/** An operation that only reports that it is not implemented. */
export function placeholder(
  endpoint: ApiEndpoint,
  { words, datasource }: OperationStyle,
): DescribedOperation {
  const query = sql`SELECT 'nothing yet' AS response`;
  const body = placeholderBody(endpoint);
  return {
    operation: {
      fulfillments: [{ name: 'placeholder', type: 'READ', datasource, [words.instructions]: [{ query }] }],
      responses: onlyResponse(notImplemented, body && { message: words.text(body.message) }),
    },
    comments: [
      'A placeholder: the description does not contain the statements of this operation. Write its statements and its response.',
    ],
    isPlaceholder: true,
    kind: 'placeholder',
  };
}

export const notImplemented = 501;

/** The body returned by a placeholder; undefined if the description defines a different body for this status. */
export function placeholderBody({
  method,
  path,
  responses,
}: ApiEndpoint): { readonly message: string } | undefined {
  const described = [String(notImplemented), '5XX', 'default'].map((status) => responses.get(status)?.json);
  if (described.some((schema) => schema !== undefined)) return undefined;
  return { message: `${method} ${path} is not written yet` };
}
