/** The service's own error responses in generated descriptions. */
import type { ErrorForms } from './error-forms.js';
import type { JsonMap } from '../../read/json.js';

/** The service's own error responses, by status. */
export const errorResponses: Readonly<
  Record<string, { readonly name: string; readonly description: string }>
> = {
  400: { name: 'BadRequest', description: 'The request is not valid.' },
  401: { name: 'Unauthorized', description: 'The credentials are missing or wrong.' },
  403: { name: 'Forbidden', description: 'The caller may not do this.' },
  404: { name: 'NotFound', description: 'There is nothing at this path.' },
  409: { name: 'Conflict', description: 'The change conflicts with what is there.' },
  413: { name: 'ContentTooLarge', description: 'The body is too large.' },
  415: { name: 'UnsupportedMediaType', description: 'The body has another content type.' },
  422: { name: 'UnprocessableContent', description: 'The request is not valid.' },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests were sent; Retry-After has the seconds to wait.',
  },
  500: { name: 'InternalServerError', description: 'Something unexpected went wrong.' },
  502: { name: 'BadGateway', description: 'Another service did not respond as expected.' },
  503: { name: 'ServiceUnavailable', description: 'The database is away, or the service is overloaded.' },
  504: { name: 'GatewayTimeout', description: 'The request took too long.' },
};

/** Response components for the statuses that are sent, by name. */
export function errorComponents(forms: ErrorForms, isSent: (status: number) => boolean): JsonMap {
  return Object.fromEntries(
    Object.entries(errorResponses)
      .filter(([status]) => isSent(Number(status)))
      .map(([status, { name, description }]) => {
        const { contentType, schema } = forms.contentOf(Number(status));
        return [name, { description, content: { [contentType]: { schema } } }];
      }),
  );
}

export function errorReference(status: number): JsonMap {
  return { $ref: `#/components/responses/${errorResponses[status]?.name ?? ''}` };
}
