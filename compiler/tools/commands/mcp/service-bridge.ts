/** Passes messages of an MCP client on to the endpoint of a service, for clients that only start programs. */
import { json } from '../../../notation/json-writer.js';
import type { Written } from '../../../notation/written.js';
import { isObject, type JsonObject } from '../../../../runtime/handler/json.js';
import { isSecureAddress } from '../../../../runtime/server/secure-address.js';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';
import type { AnswerLine } from './stdio.js';

/** The variable with the header of the credentials: `Authorization: Bearer …`. */
const credentialsName = 'MCP_CREDENTIALS';

/** The error code of JSON-RPC for failures of a server. */
const serverError = -32_000;

/** Answers lines with the responses of the service. Throws a CommandError for a wrong URL or header. */
export function serviceAnswers(
  written: string | undefined,
  environment: Readonly<NodeJS.ProcessEnv>,
): AnswerLine {
  const url = written ?? `http://localhost:${environment.PORT ?? '8080'}/mcp`;
  if (!isSecureAddress(url))
    throw new CommandError(
      exitStatus.usage,
      'The URL must begin with https, or with http and the name of this computer, such as http://localhost:8080/mcp.',
    );
  const credentials = credentialsIn(environment[credentialsName]);
  return async (line) => {
    const message = messageIn(line);
    if (message === undefined) return failure(null, -32_700, 'The line is not a message of JSON-RPC');
    const { id = null } = message;
    const isRequest = 'id' in message && 'method' in message;
    let response: Response;
    let text: string;
    try {
      // The text itself: numbers keep all their digits.
      response = await fetch(url, {
        method: 'POST',
        redirect: 'error',
        headers: { ...credentials, ...headersFor(message) },
        body: line,
      });
      text = await response.text();
    } catch {
      return isRequest ? failure(id, serverError, `The service does not respond at ${url}`) : undefined;
    }
    if (!isRequest) return undefined;
    return messageIn(text) === undefined || response.status === 401 || response.status === 403
      ? failure(id, serverError, problemOf(response))
      : json.line(text);
  };
}

function problemOf({ status }: Response): string {
  if (status === 401 || status === 403)
    return `The service refuses the credentials (status ${status}): set ${credentialsName} to a header such as the output of apikiln token users --header`;
  return `The URL is not the endpoint of a service with tools: its response has status ${status}`;
}

/** The headers that the revision without a handshake requires. */
function headersFor({ method, params = {} }: JsonObject): Record<string, string> {
  const { _meta: meta = null, name } = isObject(params) ? params : {};
  const version = isObject(meta) ? meta['io.modelcontextprotocol/protocolVersion'] : undefined;
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(typeof version === 'string' && typeof method === 'string'
      ? { 'mcp-protocol-version': version, 'mcp-method': method }
      : {}),
    ...(typeof version === 'string' && typeof name === 'string' ? { 'mcp-name': name } : {}),
  };
}

/** The header in the variable. Throws a CommandError, which does not contain it. */
function credentialsIn(header: string | undefined): Record<string, string> {
  if (header === undefined || header.trim() === '') return {};
  const [, name, value] = /^([\w-]{1,100}):[ \t]*([\x20-\x7e]{1,16000})$/.exec(header.trim()) ?? [];
  if (name === undefined || value === undefined)
    throw new CommandError(
      exitStatus.usage,
      `${credentialsName} must be a header, such as Authorization: Bearer … or X-Api-Key: …`,
    );
  return { [name]: value };
}

function messageIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value as JsonObject) && (value as JsonObject)['jsonrpc'] === '2.0'
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

function failure(id: JsonObject[string], code: number, message: string): Written<'json'> {
  return json.value({ jsonrpc: '2.0', id, error: { code, message } });
}
