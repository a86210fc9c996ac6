/** A REST datasource that records its requests in traces. */
import type { Json } from '../handler/json.js';
import { RequestFailure } from '../rest/failure.js';
import type { Incoming } from '../rest/http-exchange.js';
import type { Message } from '../rest/message.js';
import type { RestResponse } from '../rest/rest-response.js';
import { RestDatasource, type Request, type RequestDefinition, type RestDefinition } from '../rest/rest.js';
import { currentScope } from './recording.js';
import type { RequestStep } from './steps.js';

/** A request with its URL for the trace. */
export interface TracedRequestDefinition extends RequestDefinition {
  /** The configured URL, with placeholders and without the query. */
  readonly url: string;
}

/** Creates the REST datasource. */
export function tracedRest(definition: RestDefinition): TracedRest {
  return new TracedRest(definition);
}

export class TracedRest extends RestDatasource {
  private readonly tries = new WeakMap<Message, string[]>();
  private readonly ends = new WeakMap<Message, string>();

  override request(definition: TracedRequestDefinition): Request<Json> {
    return this.traced(definition, super.request(definition), () => '2xx');
  }

  override requestWithStatus(definition: TracedRequestDefinition): Request<RestResponse> {
    return this.traced(definition, super.requestWithStatus(definition), ({ status }) => String(status));
  }

  protected override async observed(message: Message, sending: () => Promise<Incoming>): Promise<Incoming> {
    const tries = this.tries.get(message);
    try {
      const incoming = await super.observed(message, sending);
      tries?.push(String(incoming.status));
      return incoming;
    } catch (error) {
      tries?.push(error instanceof RequestFailure ? error.kind : 'failed');
      throw error;
    }
  }

  protected override ended(message: Message, reason: string): void {
    this.ends.set(message, reason);
  }

  override requestWithHeaders(definition: TracedRequestDefinition): Request<RestResponse> {
    return this.traced(definition, super.requestWithHeaders(definition), () => '2xx');
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
      const tries: string[] = [];
      this.tries.set(message, tries);
      try {
        const result = await scope.timed(step, () => request(call, message));
        step.status = statusOf(result);
        return result;
      } finally {
        if (tries.length > 1) step.tries = tries;
        const end = this.ends.get(message);
        if (end !== undefined) step.end = end;
      }
    };
  }
}
