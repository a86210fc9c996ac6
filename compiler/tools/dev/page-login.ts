/** Credentials for the test page of `apikiln dev`: which callers it can log in as, and what a request of a caller carries. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { senderOf } from '../../../runtime/http/page-origin.js';
import type { SentCredentials } from '../local/credentials.js';
import type { TestCaller } from '../testing/test-callers.js';
import { NoCredentials, type Maker } from './dev-credentials.js';
import { sendMessage, sendText, unavailable } from './front-pages.js';
import { callerWithId, loginAuthentication } from './login-callers.js';
import { readBody } from './read-body.js';

/** A request of the test page, without credentials. */
export interface PageRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A string, a file, or the parts of a form with files; null without a body. */
  readonly body: string | PageFile | readonly PagePart[] | null;
}

export interface PageFile {
  readonly file: string;
}

export interface PagePart {
  readonly name: string;
  readonly value: string | PageFile;
}

/** The message sent by the page. */
interface Question {
  readonly authentication: string;
  /** The id of a caller that is offered. */
  readonly caller?: string;
  /** Without `caller`: claims and scopes of a token. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly scopes?: readonly string[];
  /** The body that is signed, in Base64. */
  readonly content?: string;
  /** The request that is copied. */
  readonly request?: PageRequest;
}

/** The sides of a connection. */
export type Connection = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localPort'>;

export interface PageLoginOptions {
  /** By the names of authentications; undefined before the first version of the service runs. */
  readonly makers: () => ReadonlyMap<string, Maker> | undefined;
  /** The callers of the tests, as they are now. */
  readonly tests: () => readonly TestCaller[];
  /** The request with its credentials as a command for a POSIX shell. Throws a NoCredentials. */
  readonly curl: (request: PageRequest, credentials: SentCredentials) => string;
  /** Whether another user of this machine has opened the connection. */
  readonly isOfOtherUser: (connection: Connection) => boolean;
}

export class PageLogin {
  constructor(private readonly options: PageLoginOptions) {}

  /** Responds to `callers`, `credentials` or `curl`. Only the test page in a browser of the same user on this machine gets an answer. */
  async respond(action: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const problem = this.#problemOf(request);
    if (problem !== undefined) {
      // The rest of the request is not read.
      response.setHeader('connection', 'close');
      sendMessage(response, 403, problem);
      return;
    }
    const makers = this.options.makers();
    const text = await readBody(request);
    if (makers === undefined) sendMessage(response, 503, unavailable);
    else if (action === 'callers') this.#sendCallers(response, makers);
    else await this.#answer(action, questionIn(text), response, makers);
  }

  /** Why the request is refused; undefined for a request of the test page. */
  #problemOf({ method, headers, socket }: IncomingMessage): string | undefined {
    // A page of another origin cannot send these headers without a preflight request, which is never allowed.
    const isOfScript =
      headers['x-apikiln-dev'] === 'login' &&
      headers['content-type'] === 'application/json' &&
      method === 'POST';
    // CORS_ORIGIN names pages that may call the service, not pages that may log in.
    const isOfPage = headers.host !== undefined && senderOf(headers, new Set()) === 'known';
    if (!isOfScript || !isOfPage) return 'Forbidden';
    if (!isOfThisMachine(socket)) return 'Only a browser on the machine of apikiln dev can log in';
    return this.options.isOfOtherUser(socket)
      ? 'Only a browser of the user of apikiln dev can log in'
      : undefined;
  }

  #sendCallers(response: ServerResponse, makers: ReadonlyMap<string, Maker>): void {
    const tests = this.options.tests();
    send(
      response,
      [...makers.values()].map((maker) => loginAuthentication(maker, tests)),
    );
  }

  async #answer(
    action: string,
    question: Question | undefined,
    response: ServerResponse,
    makers: ReadonlyMap<string, Maker>,
  ): Promise<void> {
    const isCurl = action === 'curl';
    if (question === undefined || isCurl !== (question.request !== undefined)) {
      sendMessage(response, 400, 'Not a question');
      return;
    }
    try {
      const credentials = await this.#credentials(question, makers);
      const { request } = question;
      send(response, request === undefined ? credentials : { text: this.options.curl(request, credentials) });
    } catch (error) {
      if (error instanceof NoCredentials) sendMessage(response, 422, error.message);
      // Nothing of a question or a credential is printed.
      else sendMessage(response, 500, 'The question could not be answered');
    }
  }

  async #credentials(
    { authentication, caller: id, claims, scopes, content = '' }: Question,
    makers: ReadonlyMap<string, Maker>,
  ): Promise<SentCredentials> {
    const maker = makers.get(authentication);
    if (maker === undefined)
      throw new NoCredentials(`The configuration has no authentication '${authentication}'.`);
    const caller = id === undefined ? { claims, scopes } : callerWithId(maker, id, this.options.tests());
    if (caller === undefined) throw new NoCredentials('The tests no longer have this caller.');
    return maker.send(caller, Buffer.from(content, 'base64'));
  }
}

/** With HOST=0.0.0.0, other machines reach the port, too. */
function isOfThisMachine({ remoteAddress = '' }: Connection): boolean {
  return remoteAddress === '::1' || /^(?:::ffff:)?127\./.test(remoteAddress);
}

/** Undefined for anything but a question of the page. */
function questionIn(text: string | undefined): Question | undefined {
  try {
    const value = JSON.parse(text ?? '') as Partial<Question> | null;
    return typeof value?.authentication === 'string' ? (value as Question) : undefined;
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, answer: unknown): void {
  sendText(response, 200, 'application/json; charset=utf-8', JSON.stringify(answer));
}
