/** The plan of a request to a third-party API. */
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
  /** The identifier of its datasource. */
  readonly datasource: DatasourceIdentifier;
  readonly fulfillment: string;
  readonly method: string;
  readonly url: RequestUrl;
  readonly header: readonly { readonly name: string; readonly value: Template }[];
  readonly body: Schema | undefined;
  /** Undefined without a body. */
  readonly bodyType: BodyType | undefined;
  /** Undefined without parts. */
  readonly multipart: readonly { readonly name: string; readonly value: Expression }[] | undefined;
  /** True when sending it twice does no harm. */
  readonly isHarmless: boolean;
  /** In place of that of the datasource. */
  readonly response: ResponseForm | undefined;
  /** True if the operation reads parts of the body, which a string does not have. */
  readonly readsParts: boolean;
  /** In place of that of the datasource. */
  readonly retry: Retry | undefined;
  /** All pages of a list are the result. */
  readonly pages: Pages | undefined;
  /** In place of that of the datasource. */
  readonly signature: RequestSignature | undefined;
  /** True if the configuration reads the status of the response. */
  readonly withStatus: boolean;
  /** True if the configuration reads a header of the response. */
  readonly withHeaders: boolean;
  /** True where the operation goes on without a usable response. */
  readonly continues: boolean;
  /** True where it is stored, and sent after the commit. */
  readonly isDelivered: boolean;
  /** The key that orders delivered requests. */
  readonly key: Expression | undefined;
  /** The described responses of the third party: a property of the operation's constant for them. */
  readonly described: string | undefined;
}

/** Whether it is sent again after it was sent, as the runtime decides it (runtime/rest/retry.ts). */
export function isRepeatable({ isHarmless, method, header }: RequestPlan): boolean {
  if (isHarmless || method === 'PUT' || method === 'DELETE') return true;
  return header.some(({ name }) => name.toLowerCase() === 'idempotency-key');
}

/** Declarations of the fulfillment around a request. */
export interface RequestUse {
  readonly use: 'READ' | 'UPDATE';
  readonly datasource: DatasourceIdentifier;
  readonly fulfillment: string;
  readonly withStatus: boolean;
  readonly withHeaders: boolean;
  readonly readsParts: boolean;
  readonly continues: boolean;
  readonly described: string | undefined;
}

/** `url`: that of the request, taken apart. */
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
    // A page without a list is an error, and so is a body that is not the declared JSON.
    readsParts: use.readsParts && request.pages === undefined && !request.isDelivered,
    retry: request.retry,
    pages: request.pages,
    signature: request.signature,
    withStatus: use.withStatus,
    withHeaders: use.withHeaders,
    continues: use.continues,
    isDelivered: request.isDelivered,
    key: request.key,
    described: use.described,
  };
}
