/** The log-in of the test page: the callers of the tests next to the configuration, and requests as `curl` commands. */
import type { Config } from '../../../read/config/config-model.js';
import type { SentCredentials } from '../../local/credentials.js';
import { NoCredentials } from '../../dev/dev-credentials.js';
import type { PageFile, PagePart, PageRequest } from '../../dev/page-login.js';
import { readTests } from '../../testing/read/read-tests.js';
import { callersIn, type TestCaller } from '../../testing/test-callers.js';
import { CommandError } from '../shared/output/exit-status.js';
import { curlCommand, isShown } from '../shared/output/curl-command.js';
import { testsBeside } from '../shared/files/find-tests.js';
import type { Place } from '../shared/files/read-text.js';

/** Test files with errors have the callers that can be read. Empty if the files cannot be read. */
export function callersBeside(config: Config, place: Place): TestCaller[] {
  try {
    const files = testsBeside(place).flatMap((source) => readTests(source, config).file ?? []);
    return callersIn(files, config);
  } catch (error) {
    // `apikiln test` reports the reason.
    if (error instanceof CommandError) return [];
    throw error;
  }
}

/** Throws a NoCredentials for a request whose characters a terminal would not all show. */
export function curlOfPage(
  { method, url, headers, body }: PageRequest,
  credentials: SentCredentials,
): string {
  const sent = { ...headers, ...credentials.headers };
  const command = curlCommand(
    {
      method,
      url: withQuery(url, credentials.query),
      headers: Array.isArray(body) ? withoutType(sent) : sent,
    },
    dataOf(body),
  );
  if (isShown(command)) return command;
  throw new NoCredentials('The request has characters that a terminal does not show.');
}

function withQuery(url: string, query: SentCredentials['query']): string {
  const added = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return added.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${added.join('&')}`;
}

/** curl writes the `Content-Type` of a form with parts itself, with their boundary. */
function withoutType(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-type$/i.test(name)));
}

function dataOf(body: PageRequest['body']): [option: string, value: string][] {
  if (body === null) return [];
  // Unlike --data-binary, it reads no file if the text begins with @.
  if (typeof body === 'string') return [['--data-raw', body]];
  if (isFile(body)) return [['--data-binary', `@${body.file}`]];
  return body.map(({ name, value }) =>
    typeof value === 'string'
      ? ['--form-string', `${name}=${value}`]
      : ['-F', `${name}=@"${value.file.replaceAll(/["\\]/g, String.raw`\$&`)}"`],
  );
}

function isFile(body: PageFile | readonly PagePart[]): body is PageFile {
  return 'file' in body;
}
