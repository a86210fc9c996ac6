/** `apikiln hash`: hashes a password, or computes the digest of an API key, from standard input. */
import { screen } from '../../notation/screen-writer.js';
import { createHash, randomBytes, scryptSync } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { Writable, type Readable } from 'node:stream';
import { problemOfKey } from '../../../runtime/apikey/key-problem.js';
import { problemOfCredential } from '../../../runtime/basicauth/basic-credential.js';
import {
  scryptCost,
  writePasswordHash,
  writtenCost,
  writtenHash,
  writtenSalt,
} from '../../../runtime/password-hash/password-hash.js';
import { CommandError, exitStatus } from './shared/output/exit-status.js';
import type { Terminal } from './shared/output/terminal.js';

export interface HashOptions {
  /** Whether to compute the digest of an API key instead of hashing a password. */
  readonly key?: boolean;
  /** Whether to create a new API key and its digest, without reading input. */
  readonly newKey?: boolean;
}

/** Secrets are never arguments: other users could read them in the process list and in the shell history. */
export type SecretInput = Readable & { readonly isTTY?: boolean };

export async function hash(options: HashOptions, terminal: Terminal, input: SecretInput): Promise<number> {
  if (options.newKey === true) {
    const key = randomBytes(32).toString('base64url');
    terminal.print(screen.text(key));
    terminal.print(screen.text(digestOf(key)));
    return exitStatus.fine;
  }
  const isKey = options.key === true;
  const secret = await readSecret(isKey ? 'API key' : 'Password', input, terminal);
  const problem = isKey ? problemOfSentKey(secret) : problemOfCredential('password', secret);
  if (problem !== undefined)
    throw new CommandError(exitStatus.usage, `The ${isKey ? 'API key' : 'password'} ${problem}.`);
  terminal.print(screen.text(isKey ? digestOf(secret) : hashOf(secret)));
  return exitStatus.fine;
}

/** This command creates digests, so its input must not be a digest itself. */
function problemOfSentKey(key: string): string | undefined {
  return /^sha256:/i.test(key) ? 'is already a digest' : problemOfKey(key);
}

function digestOf(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex')}`;
}

function hashOf(password: string): string {
  const salt = randomBytes(writtenSalt);
  return writePasswordHash(
    salt,
    scryptSync(password.normalize('NFC'), salt, writtenHash, scryptCost(writtenCost)),
  );
}

/** The first line without its line break. On a terminal, prompts for the line and does not echo it. */
async function readSecret(what: string, input: SecretInput, terminal: Terminal): Promise<string> {
  const isAsked = input.isTTY === true;
  if (isAsked) terminal.log(screen`${screen.text(what)} (not shown while you type):`);
  const unseen = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const lines = createInterface({ input, output: unseen, terminal: isAsked });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}
