/** A REST datasource that records its requests in traces. */
import type { Json } from '../handler/json.js';
import type { RestResponse } from '../rest/rest-response.js';
import { RestDatasource, type Request, type RequestDefinition, type RestDefinition } from '../rest/rest.js';
import { currentScope } from './recording.js';
import type { RequestStep } from './steps.js';

/** A request, and its URL for the trace. */
export interface TracedRequestDefinition extends RequestDefinition {
  /** As configured, with its placeholders, without the query. */
  readonly url: string;
}

/** Creates the REST datasource of that name. */
export function tracedRest(definition: RestDefinition): TracedRest {
  return new TracedRest(definition);
}

export class TracedRest extends RestDatasource {
  override request(definition: TracedRequestDefinition): Request<Json> {
    return this.traced(definition, super.request(definition), () => '2xx');
  }

  override requestWithStatus(definition: TracedRequestDefinition): Request<RestResponse> {
    return this.traced(definition, super.requestWithStatus(definition), ({ status }) => String(status));
  }

  private traced<Result>(
    { fulfillment, method, url }: TracedRequestDefinition,
    request: Request<Result>,
    statusOf: (result: Result) => string,
  ): Request<Result> {
    return async (call, message) => {
      const scope = currentScope();
      if (scope === undefined) return request(call, message);
      const step: RequestStep = { kind: 'request', fulfillment, datasource: this.name, method, url };
      const result = await scope.timed(step, () => request(call, message));
      step.status = statusOf(result);
      return result;
    };
  }
}
