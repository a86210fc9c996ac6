/** `apikiln token`: asks the `apikiln dev` of a configuration for credentials that its service accepts. */
import { screen } from '../../notation/screen-writer.js';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { resolve } from 'node:path';
import { formType } from '../local/form-type.js';
import { credentialsPath, proofHeader, proofOf } from '../dev/control-server.js';
import type { CredentialsAnswer, CredentialsQuestion } from '../dev/dev-credentials.js';
import { contactsOf, type Contact } from './dev/dev-contact.js';
import { reason } from './shared/files/read-text.js';
import { CommandError, exitStatus } from './shared/output/exit-status.js';
import { curlCommand, isShown } from './shared/output/curl-command.js';
import { findConfig } from './shared/run-compilation.js';
import type { Terminal } from './shared/output/terminal.js';

export interface TokenOptions {
  readonly sub?: string;
  /** `name=value` each. */
  readonly claim?: readonly string[];
  readonly scope?: readonly string[];
  /** Seconds. */
  readonly expires?: number;
  readonly key?: string;
  readonly header?: boolean;
  readonly path?: string;
  /** Text, or `@` and a file. */
  readonly body?: string;
}

/** Throws a CommandError. */
export async function token(
  authentication: string,
  path: string | undefined,
  options: TokenOptions,
  terminal: Terminal,
): Promise<number> {
  const config = findConfig(path, terminal.folder);
  const claims = claimsOf(options);
  const body = bodyOf(options.body, terminal.folder);
  const question: CredentialsQuestion = {
    authentication,
    ...(Object.keys(claims).length > 0 && { claims }),
    scopes: options.scope,
    seconds: options.expires,
    key: options.key,
    header: options.header,
    path: options.path,
    ...(options.body !== undefined && { body: body.toString('base64') }),
  };
  const answer = await ask(config, question, terminal.folder);
  terminal.print(screen.lines('text' in answer ? answer.text : curlOf(answer, body, options.body ?? '')));
  return exitStatus.fine;
}

function claimsOf({ sub, claim = [] }: TokenOptions): Record<string, unknown> {
  return {
    ...(sub !== undefined && { sub }),
    ...Object.fromEntries(
      claim.map((text) => {
        const at = text.indexOf('=');
        if (at < 1)
          throw new CommandError(exitStatus.usage, `--claim ${text} has no name. Write --claim name=value.`);
        return [text.slice(0, at), claimValue(text.slice(at + 1))];
      }),
    ),
  };
}

/** JSON, or the text itself. */
function claimValue(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof value === 'number' && /^-?\d+$/.test(text) && !Number.isSafeInteger(value))
    throw new CommandError(
      exitStatus.usage,
      `The claim ${text} has more digits than a number can have. Write it as a string: '"${text}"'.`,
    );
  return value;
}

/** The bytes of a body. Throws a CommandError. */
function bodyOf(written: string | undefined, folder: string): Buffer {
  if (written?.startsWith('@') !== true) return Buffer.from(written ?? '');
  const path = written.slice(1);
  try {
    return readFileSync(resolve(folder, path));
  } catch (error) {
    throw new CommandError(exitStatus.environment, `${path} cannot be read: ${reason(error)}.`);
  }
}

/** Throws a CommandError without a running `dev`, or with its refusal. */
async function ask(
  config: string,
  question: CredentialsQuestion,
  folder: string,
): Promise<CredentialsAnswer> {
  const path = resolve(folder, config);
  if (!existsSync(path))
    throw new CommandError(exitStatus.environment, `${config} cannot be read: there is no such file.`);
  const { status, text } = await firstAnswer(contactsOf(path), JSON.stringify(question));
  if (status === 200) return JSON.parse(text) as CredentialsAnswer;
  if (status === 422) throw new CommandError(exitStatus.usage, messageIn(text));
  if (status === 503)
    throw new CommandError(
      exitStatus.environment,
      'The service has not started yet: the terminal of apikiln dev shows why.',
    );
  const started = config === 'config.yaml' ? 'apikiln dev' : `apikiln dev ${config}`;
  throw new CommandError(
    exitStatus.environment,
    `apikiln dev does not run for ${config}. Start it in another terminal: ${started}`,
  );
}

interface Received {
  readonly status: number;
  readonly text: string;
}

const notRunning: Received = { status: 0, text: '' };

/** The answer of the newest `dev` that runs. */
async function firstAnswer(contacts: readonly Contact[], question: string): Promise<Received> {
  for (const contact of contacts) {
    const received = await send(contact, question);
    if (received !== notRunning) return received;
  }
  return notRunning;
}

/** Milliseconds. */
const timeLimit = 30_000;

/** An answer counts only if it proves that its sender knows the secret: another program may have taken the port of a `dev` that was killed. */
function send({ port, secret }: Contact, question: string): Promise<Received> {
  return new Promise((done) => {
    const outgoing = request({
      ...{ host: '127.0.0.1', port, path: credentialsPath, method: 'POST', agent: false, timeout: timeLimit },
      headers: { authorization: `Bearer ${secret}`, 'content-length': Buffer.byteLength(question) },
    });
    const fail = (): void => {
      outgoing.destroy();
      done(notRunning);
    };
    outgoing.on('error', fail).on('timeout', fail);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', fail);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isProven = response.headers[proofHeader] === proofOf(secret, text);
        done(isProven ? { status: response.statusCode ?? 0, text } : notRunning);
      });
    });
    outgoing.end(question);
  });
}

function messageIn(text: string): string {
  return (JSON.parse(text) as { readonly message: string }).message;
}

/** The request for a POSIX shell. Throws a CommandError for a body whose characters a terminal would not all show. */
function curlOf(
  { method, url, headers }: Extract<CredentialsAnswer, { readonly url: string }>,
  body: Buffer,
  written: string,
): string {
  if (!written.startsWith('@') && !isShown(written))
    throw new CommandError(
      exitStatus.usage,
      'The body has characters that a terminal does not show. Write it to a file, and name the file: --body @file',
    );
  const isBodiless = body.length === 0;
  const all = isBodiless ? headers : { 'content-type': contentTypeOf(body), ...headers };
  return curlCommand({ method, url, headers: all }, isBodiless ? [] : [['--data-binary', written]]);
}

/** JSON, otherwise that of a form, as curl itself sends a body. */
function contentTypeOf(body: Buffer): string {
  try {
    JSON.parse(body.toString());
    return 'application/json';
  } catch {
    return formType;
  }
}
