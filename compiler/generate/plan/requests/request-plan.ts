/** The plan of a third-party request. */
import type { RequestUrl } from '../../../analyze/operations/requests/request-url.js';
import type {
  BodyType,
  Pages,
  Request,
  RequestSignature,
  ResponseForm,
  Retry,
  Schema,
} from '../../../read/config/config-model.js';
import type { Expression, Template } from '../../../read/expression/ast.js';
import type { DatasourceIdentifier } from '../names/identifiers.js';

export interface RequestPlan {
  readonly kind: 'request';
  /** The identifier of the request's datasource. */
  readonly datasource: DatasourceIdentifier;
  readonly fulfillment: string;
  readonly method: string;
  readonly url: RequestUrl;
  readonly header: readonly { readonly name: string; readonly value: Template }[];
  readonly body: Schema | undefined;
  /** Undefined if the request has no body. */
  readonly bodyType: BodyType | undefined;
  /** Undefined if the body is not multipart. */
  readonly multipart: readonly { readonly name: string; readonly value: Expression }[] | undefined;
  /** Whether the request is safe to repeat. */
  readonly isHarmless: boolean;
  /** Overrides the datasource's response format. */
  readonly response: ResponseForm | undefined;
  /** Whether the operation reads parts of the body, so that the body cannot be a plain string. */
  readonly readsParts: boolean;
  /** Overrides the datasource's retries. */
  readonly retry: Retry | undefined;
  /** Set if the result is all pages of a list. */
  readonly pages: Pages | undefined;
  /** Overrides the datasource's signature. */
  readonly signature: RequestSignature | undefined;
  /** Whether the configuration reads the response status. */
  readonly withStatus: boolean;
  /** Whether the configuration reads a response header. */
  readonly withHeaders: boolean;
  /** Whether the operation continues without a usable response. */
  readonly continues: boolean;
  /** Whether the request is stored and sent after the commit. */
  readonly isDelivered: boolean;
  /** Whether the request is stored encrypted. */
  readonly isSealed: boolean;
  /** The key that orders delivered requests. */
  readonly key: Expression | undefined;
  /** The described responses of the third party, as a property of the operation's constant. */
  readonly described: string | undefined;
}

/** Whether the request may be resent after it was sent, by the rules of the runtime (runtime/rest/retry.ts). */
export function isRepeatable({ isHarmless, method, header }: RequestPlan): boolean {
  if (isHarmless || method === 'PUT' || method === 'DELETE') return true;
  return header.some(({ name }) => name.toLowerCase() === 'idempotency-key');
}

/** Properties of the fulfillment that contains a request. */
export interface RequestUse {
  readonly use: 'READ' | 'UPDATE';
  readonly datasource: DatasourceIdentifier;
  readonly fulfillment: string;
  readonly withStatus: boolean;
  readonly withHeaders: boolean;
  readonly readsParts: boolean;
  readonly continues: boolean;
  readonly described: string | undefined;
  readonly isSealed: boolean;
}

/** `url` is the parsed URL of the request. */
export function planRequest(
  { request, url }: { readonly request: Request; readonly url: RequestUrl },
  use: RequestUse,
): RequestPlan {
  const method = request.httpType.value;
  return {
    kind: 'request',
    datasource: use.datasource,
    fulfillment: use.fulfillment,
    method,
    url,
    header: request.header.map(({ name, value }) => ({ name: name.value, value })),
    body: request.body,
    bodyType: request.bodyType,
    multipart: request.fields.has('multipart')
      ? request.multipart.map(({ name, value }) => ({ name: name.value, value }))
      : undefined,
    isHarmless: use.use === 'READ' && (method === 'GET' || method === 'HEAD'),
    response: request.response,
    // Not needed for pages: a page without a list is already an error, as is a body that is not the declared JSON.
    readsParts: use.readsParts && request.pages === undefined && !request.isDelivered,
    retry: request.retry,
    pages: request.pages,
    signature: request.signature,
    withStatus: use.withStatus,
    withHeaders: use.withHeaders,
    continues: use.continues,
    isDelivered: request.isDelivered,
    isSealed: use.isSealed,
    key: request.key,
    described: use.described,
  };
}
