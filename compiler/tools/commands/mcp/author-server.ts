/** The MCP server for assistants that write configurations: `check`, `explain`, `help` and `test` as tools. */
import { json } from '../../../notation/json-writer.js';
import type { Written } from '../../../notation/written.js';
import { isObject, type Json, type JsonObject } from '../../../../runtime/handler/json.js';
import {
  codes,
  descriptionFor,
  errorResponse,
  MessageError,
  readMessage,
  responseTo,
  type Request,
} from '../../../../runtime/mcp/messages.js';
import { readVersion } from '../shared/files/package-folder.js';
import { authorTools, callTool } from './author-tools.js';
import type { AnswerLine } from './stdio.js';

const instructions =
  'Tools for the author of an apikiln configuration (config.yaml), which is compiled to a TypeScript service. Read pages of the documents with help before you write, check the configuration after each change, and explain the codes of diagnostics. test runs the tests of config.test.yaml.';

/** Answers lines of a client. `folder`: the only folder whose files the tools read. */
export function authorAnswers(folder: string): AnswerLine {
  const server = { name: 'apikiln', version: readVersion(), instructions, tools: authorTools };
  let last: Promise<unknown> = Promise.resolve();
  // Calls run one after the other: each can use all the memory that a compilation needs.
  const inTurn = (call: () => Promise<JsonObject>): Promise<JsonObject> => {
    const result = last.then(call);
    last = result.catch(() => undefined);
    return result;
  };
  return async (line) => {
    try {
      const message = readMessage(parsed(line));
      if (message.kind === 'notification') return undefined;
      const result =
        message.method === 'tools/call'
          ? await inTurn(() => resultOf(message, folder))
          : descriptionFor(message, server);
      return response(responseTo(message, result));
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      return response(errorResponse(error));
    }
  };
}

function resultOf({ id, parameters }: Request, folder: string): Promise<JsonObject> {
  const { name, arguments: given = {} } = parameters;
  const isKnown = typeof name === 'string' && authorTools.some((tool) => tool['name'] === name);
  if (isKnown && isObject(given)) return callTool(name, given, folder);
  const error = new MessageError(
    200,
    codes.parameters,
    isKnown ? "The 'arguments' of the call are not an object" : 'The tool does not exist',
  );
  error.id = id;
  throw error;
}

function parsed(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    throw new MessageError(400, codes.parse, 'The line is not JSON');
  }
}

function response(message: JsonObject): Written<'json'> {
  return json.value(message);
}
