/** The responses of the service itself, as generated descriptions have them. */

/** A JSON object as it is printed: keys in this order. */
export type JsonMap = Readonly<Record<string, unknown>>;

/** The responses of the service itself, by status. */
export const errorResponses: Readonly<
  Record<string, { readonly name: string; readonly description: string }>
> = {
  400: { name: 'BadRequest', description: 'The request is not valid.' },
  401: { name: 'Unauthorized', description: 'The credentials are missing or wrong.' },
  404: { name: 'NotFound', description: 'There is nothing at this path.' },
  409: { name: 'Conflict', description: 'The change conflicts with what is there.' },
  413: { name: 'ContentTooLarge', description: 'The body is too large.' },
  415: { name: 'UnsupportedMediaType', description: 'The body has another content type.' },
  500: { name: 'InternalServerError', description: 'Something unexpected went wrong.' },
  502: { name: 'BadGateway', description: 'Another service did not respond as expected.' },
  503: { name: 'ServiceUnavailable', description: 'The database is away, or the service is overloaded.' },
  504: { name: 'GatewayTimeout', description: 'The request took too long.' },
};

/** Decisions 9.3. */
export const errorModel: JsonMap = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string' } },
};

/** Responses of these statuses as components of a description, by their names. */
export function errorComponents(isSent: (status: number) => boolean): JsonMap {
  return Object.fromEntries(
    Object.entries(errorResponses)
      .filter(([status]) => isSent(Number(status)))
      .map(([, { name, description }]) => [
        name,
        {
          description,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      ]),
  );
}

export function errorReference(status: number): JsonMap {
  return { $ref: `#/components/responses/${errorResponses[status]?.name ?? ''}` };
}
