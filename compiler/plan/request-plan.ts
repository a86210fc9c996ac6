/** The plan of a request to a third-party API. */
import type { Request, Schema } from '../config/config-model.js';
import type { Expression, Template } from '../expression/ast.js';
import { takeApart, type RequestUrl } from '../analyze/request-url.js';

export interface RequestPlan {
  readonly kind: 'request';
  /** The identifier of its datasource. */
  readonly datasource: string;
  readonly fulfillment: string;
  readonly method: string;
  readonly url: RequestUrl;
  readonly header: readonly { readonly name: string; readonly value: Template }[];
  readonly body: Schema | undefined;
  /** Undefined when the request has none. */
  readonly multipart: readonly { readonly name: string; readonly value: Expression }[] | undefined;
  /** True when sending it twice does no harm. */
  readonly retry: boolean;
  /** True when the configuration reads the status of the answer. */
  readonly withStatus: boolean;
}

/** What the fulfillment around a request says of it. */
export interface RequestUse {
  readonly use: 'READ' | 'UPDATE';
  readonly datasource: string;
  readonly fulfillment: string;
  readonly withStatus: boolean;
}

/** `hasBase`: its datasource has a URL. */
export function planRequest(request: Request, hasBase: boolean, use: RequestUse): RequestPlan {
  const reading = request.url && takeApart(request.url.value, hasBase);
  if (reading === undefined || !('url' in reading))
    throw new Error('A request without a URL passed the checks.');
  const method = request.httpType.value;
  return {
    kind: 'request',
    datasource: use.datasource,
    fulfillment: use.fulfillment,
    method,
    url: reading.url,
    header: request.header.map(({ name, value }) => ({ name: name.value, value })),
    body: request.body,
    multipart: request.fields.has('multipart')
      ? request.multipart.map(({ name, value }) => ({ name: name.value, value }))
      : undefined,
    retry: use.use === 'READ' && (method === 'GET' || method === 'HEAD'),
    withStatus: use.withStatus,
  };
}
