/** Serves the API description at /v3/api-docs, without a test page (settings.apiDocs). */
import type { Call } from '../handler/call.js';
import type { Json } from '../handler/json.js';
import type { Reply } from '../handler/reply.js';
import type { Exchange } from '../http/exchange.js';
import { pathAndQuery } from '../http/request-target.js';
import type { Handler, TestPage } from '../http/route.js';
import { sendContent, sendMessage } from '../http/send-response.js';
import { yamlText } from './yaml.js';

/** `description` is the API description as JSON. */
export function createApiDocs(description: string): TestPage {
  return new ApiDocs(description);
}

class ApiDocs implements TestPage {
  #yaml: string | undefined;

  constructor(private readonly description: string) {}

  announce(): void {
    // No warning: unlike the test page, the description alone does not expose anything sensitive.
  }

  owns(target: string): boolean {
    return this.#file(pathAndQuery(target).path) !== undefined;
  }

  respond(exchange: Exchange): boolean {
    const { method, url = '' } = exchange.request;
    const file = this.#file(pathAndQuery(url).path);
    if (file === undefined) return false;
    const headers = ['X-Content-Type-Options', 'nosniff'];
    if (method === 'GET' || method === 'HEAD')
      sendContent(exchange, 200, file.text(), headers, `${file.type}; charset=utf-8`);
    else sendMessage(exchange, 405, undefined, ['Allow', 'GET, HEAD']);
    return true;
  }

  async observe(_exchange: Exchange, _operation: string, handler: Handler, call: Call): Promise<Reply> {
    return handler(call);
  }

  #file(path: string): { readonly type: string; text(): string } | undefined {
    if (path === '/v3/api-docs') return { type: 'application/json', text: () => this.description };
    if (path !== '/v3/api-docs.yaml') return undefined;
    return {
      type: 'application/yaml',
      text: () => (this.#yaml ??= yamlText(JSON.parse(this.description) as Json)),
    };
  }
}
