/** The operation for an endpoint of which the description does not show what it does: a constant response that it allows. */
import type { ApiEndpoint, ApiSchema } from '../../../read/openapi/api-model.js';
import { literal } from './described-column.js';
import { successOf } from './described-shape.js';
import type { DescribedOperation, OperationStyle } from './described-steps.js';
import { exampleValue } from '../example-value.js';
import { onlyResponse } from '../operation-entry.js';

/** Returns values that the description allows, and does nothing. */
export function placeholder(
  endpoint: ApiEndpoint,
  { words, dialect, datasource }: OperationStyle,
): DescribedOperation {
  const { status, json } = successOf(endpoint);
  const value = json === undefined ? undefined : placeholderValue(json);
  // A colon before a bracket would begin a placeholder of the language.
  const text = JSON.stringify(value ?? null, null, 1)
    .replaceAll(/\n */g, ' ')
    .replaceAll(':[', ':\\u005b');
  const example =
    dialect === 'postgresql'
      ? `${literal(text, dialect)}::jsonb`
      : `json_extract(${literal(text, dialect)}, '$')`;
  const query = json === undefined ? "SELECT 'nothing yet' AS response" : `SELECT ${example} AS response`;
  return {
    operation: {
      fulfillments: [{ name: 'placeholder', type: 'READ', datasource, [words.instructions]: [{ query }] }],
      responses: onlyResponse(
        status,
        json === undefined ? undefined : words.field('placeholder', 'response'),
      ),
    },
    comments: [
      'A placeholder: the description does not tell what this does. Write its statements and its response.',
    ],
    isPlaceholder: true,
    kind: 'placeholder',
  };
}

/** The body that a placeholder returns. */
export function placeholderValue(json: ApiSchema): unknown {
  return exampleValue(json) ?? {};
}
