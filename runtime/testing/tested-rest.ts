/** A REST datasource under test: all requests are sent to the stub server, regardless of their URL. */
import { upperSnake } from '../server/environment-reference.js';
import type { Content, Message } from '../rest/message.js';
import type { Identity, RateLimit } from '../rest/parts.js';
import type { RestDefinition } from '../rest/rest.js';
import type { Outgoing } from '../rest/http-exchange.js';
import { TracedRest } from '../trace/traced-rest.js';

/** Creates the REST datasource. The environment variable STUB_<NAME> contains the URL of the stub server. */
export function testedRest(definition: RestDefinition): TestedRest {
  return new TestedRest(definition);
}

class TestedRest extends TracedRest {
  constructor({ oauth2, limit, ...definition }: RestDefinition) {
    // Tests do not wait for rate limits.
    super({
      ...definition,
      ...(oauth2 === undefined ? {} : { oauth2: testIdentity }),
      ...(limit === undefined ? {} : { limit: unlimited }),
    });
  }

  /** Skips pauses, because tests do not wait. */
  protected override readonly pause = (): Promise<boolean> => Promise.resolve(true);

  protected override outgoing(
    method: string,
    written: string | URL,
    message: Pick<Message, 'header' | 'sign'>,
    content: Content | undefined,
  ): Outgoing {
    const outgoing = super.outgoing(method, written, message, content);
    const { pathname, search } = outgoing.url;
    const stub = process.env[`STUB_${upperSnake(this.name)}`] ?? 'http://127.0.0.1:9';
    return { ...outgoing, url: new URL(`${stub}${pathname}${search}`) };
  }
}

const unlimited: RateLimit = { turn: () => Promise.resolve(() => undefined) };

/** Uses the token `test-token`, and `test-token-2` after a 401, instead of asking a token server. */
const testIdentity: Identity = {
  readSettings: () => undefined,
  async send({ outgoing, send }) {
    const withToken = (token: string): Outgoing => ({
      ...outgoing,
      headers: { ...outgoing.headers, Authorization: `Bearer ${token}` },
    });
    const incoming = await send(withToken('test-token'));
    return incoming.status === 401 ? send(withToken('test-token-2')) : incoming;
  },
};
