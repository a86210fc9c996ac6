/** An authorization server of clients (OAuth 2.1 with PKCE), at which everybody is Ada of the company kiln. */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The scopes that a client asked its user for. */
interface Asked {
  readonly challenge: string;
  readonly resource: string;
  readonly scope: string;
}

export class AuthorizationServer {
  /** The scopes that clients have asked for, in order. */
  readonly scopes: string[] = [];
  readonly #codes = new Map<string, Asked>();
  readonly #server = createServer((request, response) => {
    void this.respond(request, response);
  });
  #issuer = '';

  /** `sign` makes the token of a caller with these scopes. Returns the issuer. */
  constructor(private readonly sign: (scope: string) => Promise<string>) {}

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#issuer = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this.#issuer;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.#issuer);
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const at = (path: string): string => `${this.#issuer}${path}`;
    switch (url.pathname) {
      case '/.well-known/oauth-authorization-server':
        send(200, {
          issuer: this.#issuer,
          authorization_endpoint: at('/authorize'),
          token_endpoint: at('/token'),
          registration_endpoint: at('/register'),
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code'],
          token_endpoint_auth_methods_supported: ['none'],
          code_challenge_methods_supported: ['S256'],
        });
        return;
      case '/register':
        send(201, { ...(JSON.parse(await text(request)) as object), client_id: 'assistant' });
        return;
      case '/authorize': {
        const [code, asked] = [randomUUID(), url.searchParams];
        const [challenge, resource, scope] = ['code_challenge', 'resource', 'scope'].map(
          (name) => asked.get(name) ?? '',
        );
        this.#codes.set(code, { challenge: challenge ?? '', resource: resource ?? '', scope: scope ?? '' });
        this.scopes.push(scope ?? '');
        const back = new URL(asked.get('redirect_uri') ?? '');
        back.searchParams.set('code', code);
        response.writeHead(302, { location: back.href }).end();
        return;
      }
      case '/token': {
        const given = new URLSearchParams(await text(request));
        const asked = this.#codes.get(given.get('code') ?? '');
        const digest = createHash('sha256')
          .update(given.get('code_verifier') ?? '')
          .digest('base64url');
        if (asked === undefined || asked.challenge !== digest || asked.resource !== given.get('resource'))
          send(400, { error: 'invalid_grant' });
        else
          send(200, { access_token: await this.sign(asked.scope), token_type: 'Bearer', scope: asked.scope });
        return;
      }
      default:
        send(404, {});
    }
  }
}
