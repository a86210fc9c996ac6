/** The port on which `apikiln dev` is asked for credentials: only by programs of this machine that know its secret, never by a page. */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NoCredentials, type CredentialsAnswer, type CredentialsQuestion } from './dev-credentials.js';
import { sendMessage, sendText } from './front-pages.js';
import { readBody } from './read-body.js';

/** The only path, which is asked with POST. */
export const credentialsPath = '/credentials';

/** The response header with the proof that the sender of an answer knows the secret. */
export const proofHeader = 'x-apikiln-proof';

/** The proof for the body of an answer, in hexadecimal digits. */
export function proofOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** Undefined before the first version of the service runs. Throws a NoCredentials. */
type Answer = (question: CredentialsQuestion) => Promise<CredentialsAnswer | undefined>;

export class ControlServer {
  readonly #server: Server;

  private constructor(
    private readonly secret: string,
    private readonly answer: Answer,
  ) {
    this.#server = createServer((request, response) => {
      this.#respond(request, response).catch(() => {
        // Nothing of a question or a credential is printed.
        sendMessage(response, 500, 'The question could not be answered');
      });
    });
  }

  /** `secret`: a question without it is refused. Rejects with the system's error. */
  static async start(secret: string, answer: Answer): Promise<ControlServer> {
    const control = new ControlServer(secret, answer);
    await new Promise<void>((resolve, reject) => {
      control.#server.once('error', reject);
      control.#server.listen({ host: '127.0.0.1', port: 0 }, resolve);
    });
    return control;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
    this.#server.closeAllConnections();
    await closed;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request;
    // A name that was pointed to this machine (DNS rebinding) is another host. Browsers send at least one of these headers with POST.
    const isOfPage = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
    if (headers.host !== `127.0.0.1:${this.port}` || isOfPage || !this.#isKnown(headers.authorization)) {
      refuse(response, 403, 'Forbidden');
      return;
    }
    if (method !== 'POST' || url !== credentialsPath) {
      refuse(response, 404, 'Not found');
      return;
    }
    const text = await readBody(request);
    const question = text === undefined ? undefined : questionIn(text);
    if (question === undefined) {
      refuse(response, 400, 'Not a question');
      return;
    }
    await this.#send(response, question);
  }

  async #send(response: ServerResponse, question: CredentialsQuestion): Promise<void> {
    try {
      const answer = await this.answer(question);
      if (answer === undefined) this.#prove(response, 503, { message: 'The service is not running' });
      else this.#prove(response, 200, answer);
    } catch (error) {
      if (!(error instanceof NoCredentials)) throw error;
      this.#prove(response, 422, { message: error.message });
    }
  }

  #prove(response: ServerResponse, status: number, answer: object): void {
    const text = JSON.stringify(answer);
    response.setHeader(proofHeader, proofOf(this.secret, text));
    sendText(response, status, 'application/json; charset=utf-8', text);
  }

  #isKnown(authorization = ''): boolean {
    const [given, known] = [authorization, `Bearer ${this.secret}`].map((text) =>
      hash('sha256', text, 'buffer'),
    );
    return given !== undefined && known !== undefined && timingSafeEqual(given, known);
  }
}

/** The rest of the request is not read. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.setHeader('connection', 'close');
  sendMessage(response, status, message);
}

/** The question comes from `apikiln token`, which knows the secret; undefined for anything else. */
function questionIn(text: string): CredentialsQuestion | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isQuestion =
      typeof value === 'object' &&
      value !== null &&
      'authentication' in value &&
      typeof value.authentication === 'string';
    return isQuestion ? (value as CredentialsQuestion) : undefined;
  } catch {
    return undefined;
  }
}
