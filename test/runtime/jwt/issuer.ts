/** A token issuer with its key server, in this process. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK, type JWTPayload } from 'jose';

export const issuerName = 'https://id.example';
export const audience = 'orders';

export interface SigningKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

export async function signingKey(alg: string, kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** The claims of a valid token; undefined claims are omitted. */
export function claims(own: Readonly<Record<string, unknown>> = {}): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: issuerName, aud: audience, sub: 'ada', tenant: 1, iat: now, exp: now + 300, ...own };
  return JSON.parse(JSON.stringify(all)) as JWTPayload;
}

export function sign(
  { alg, kid, privateKey }: Pick<SigningKey, 'alg' | 'kid'> & { readonly privateKey: CryptoKey | Uint8Array },
  payload: JWTPayload = claims(),
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
}

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

/** A key server with configurable behaviour that counts its requests. */
export class KeyServer {
  requests = 0;
  behaviour: Behaviour = () => undefined;
  readonly #server = createServer((request, response) => {
    this.requests += 1;
    this.behaviour(request, response);
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/keys`;
  }

  publish(...keys: readonly object[]): void {
    this.behaviour = sends(200, JSON.stringify({ keys }));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function sends(
  status: number,
  body: string,
  header: Readonly<Record<string, string>> = {},
): Behaviour {
  return (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...header }).end(body);
}
