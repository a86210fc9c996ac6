/** The tools of `apikiln mcp --author`, each of which is a command with fewer options. */
import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { noColours, screen, type Shown } from '../../../notation/screen-writer.js';
import type { JsonObject } from '../../../../runtime/handler/json.js';
import { helpOfTopic, topics, unknownTopic } from '../help-topic.js';
import { nearest } from '../../../read/diagnostics/suggest.js';
import { isBelow, isHidden, realPath } from '../shared/files/file-inside.js';
import { readVersion } from '../shared/files/package-folder.js';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';
import { reportFailure } from '../shared/output/failure.js';
import type { Terminal } from '../shared/output/terminal.js';

/** Arguments by name. */
type Arguments = Readonly<Record<string, string>>;

interface AuthorTool {
  readonly description: string;
  /** Whether it changes nothing and runs no code of the user. */
  readonly isReading: boolean;
  /** Descriptions of the arguments, all of which are optional strings. */
  readonly arguments: Readonly<Record<string, string>>;
  /** Prints the result, and returns the exit status. */
  readonly run: (given: Arguments, terminal: Terminal) => Promise<number>;
}

const config = 'The configuration, relative to the working directory: config.yaml by default';

const tools: Readonly<Record<string, AuthorTool>> = {
  check: {
    description:
      'Report the errors and warnings of a configuration, with positions, explanations and fixes. Statements are checked with schema.sql.',
    isReading: true,
    arguments: { config },
    run: async (given, terminal) =>
      (await import('../check.js')).check(configOf(given, terminal.folder), { format: 'text' }, terminal),
  },
  explain: {
    description:
      "Explain an operation such as 'GET /news/{id}' (its steps, SQL, round trips and statuses) or the code of a diagnostic such as unknown-field (with a wrong and a right example). Without a subject, list the operations.",
    isReading: true,
    arguments: { subject: 'The name of an operation, or a code', config },
    run: async ({ subject, ...given }, terminal) =>
      (await import('../explain-command.js')).explain(
        subject,
        { config: configOf(given, terminal.folder), format: 'text' },
        terminal,
      ),
  },
  help: {
    description:
      'Read a page of the documents of apikiln, such as expressions, or find the pages with a word. Without a topic, list the pages.',
    isReading: true,
    arguments: { topic: 'The name of a page, or words to find' },
    run: ({ topic = 'topics' }, terminal) => {
      const page = helpOfTopic(topic);
      if (page === undefined)
        throw new CommandError(exitStatus.usage, unknownTopic(topic, nearest(topic, topics())));
      terminal.print(screen.lines(page.trimEnd()));
      return Promise.resolve(exitStatus.fine);
    },
  },
  test: {
    description:
      'Run the tests of a configuration (config.test.yaml, or the files in tests) against the compiled service, with an embedded database from schema.sql and seed.sql, and stubs for third parties. This runs user code of the service.',
    isReading: false,
    arguments: { config, filter: 'Run only the tests whose name contains this text' },
    run: async ({ filter, ...given }, terminal) =>
      (await import('../test.js')).test(
        configOf(given, terminal.folder),
        { format: 'text', ...(filter !== undefined && { filter }) },
        terminal,
      ),
  },
};

/** The tools, as clients see them. */
export const authorTools: JsonObject[] = Object.entries(tools).map(([name, tool]) => ({
  name,
  description: tool.description,
  annotations: {
    readOnlyHint: tool.isReading,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  inputSchema: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(tool.arguments).map(([argument, description]) => [
        argument,
        { type: 'string', description },
      ]),
    ),
    additionalProperties: false,
  },
}));

/** The result of a call: the lines that the command prints. `name` is the name of a tool. */
export async function callTool(name: string, given: JsonObject, folder: string): Promise<JsonObject> {
  const lines: string[] = [];
  const add = (text: Shown): void => {
    lines.push(text);
  };
  const terminal: Terminal = { folder, print: add, log: add, command: () => undefined, colours: noColours };
  const status = await run(tools[name], given, terminal).catch((error: unknown) =>
    reportFailure(error, 'text', readVersion(), terminal),
  );
  const isError = status !== exitStatus.fine && status !== exitStatus.errors;
  return { content: [{ type: 'text', text: lines.join('\n') }], ...(isError ? { isError } : {}) };
}

async function run(tool: AuthorTool | undefined, given: JsonObject, terminal: Terminal): Promise<number> {
  if (tool === undefined) throw new Error('Only tools in the list are called.');
  const read: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(tool.arguments, name)) {
      const names = Object.keys(tool.arguments).join(', ');
      throw new CommandError(exitStatus.usage, `There is no argument '${name}'; the arguments are: ${names}`);
    }
    if (value === null) continue;
    if (typeof value !== 'string')
      throw new CommandError(exitStatus.usage, `The argument '${name}' must be a string`);
    read[name] = value;
  }
  return tool.run(read, terminal);
}

/** The path of the configuration, relative to the folder. Throws a CommandError for other files. */
function configOf({ config: written = 'config.yaml' }: Arguments, folder: string): string {
  const root = realPath(folder);
  const path = resolve(root, written);
  const refuse = (reason: string): CommandError =>
    new CommandError(exitStatus.usage, `The argument 'config' ${reason}.`);
  if (!isBelow(path, root) || (existsSync(path) && !isBelow(realPath(path), root)))
    throw refuse('is a path outside of the working directory');
  const inside = relative(root, path);
  if (!/\.ya?ml$/i.test(inside) || inside.split(sep).some(isHidden))
    throw refuse('is not the path of a YAML file');
  return inside;
}
