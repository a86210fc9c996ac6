/** `apikiln mcp`: a server of the Model Context Protocol on standard input and output. */
import type { Readable, Writable } from 'node:stream';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';
import { authorAnswers } from './author-server.js';
import { serviceAnswers } from './service-bridge.js';
import { serveLines } from './stdio.js';

export interface McpOptions {
  /** Whether to serve the author of a configuration. */
  readonly author?: boolean;
}

/** The parts of the process that the command uses. */
interface OwnProcess {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

/** Serves until the end of the input. `url`: the endpoint of the service. Throws a CommandError. */
export async function mcp(
  url: string | undefined,
  { author = false }: McpOptions,
  folder: string,
  { stdin, stdout, env }: OwnProcess,
): Promise<number> {
  if (author && url !== undefined)
    throw new CommandError(exitStatus.usage, 'With --author, the tools are those of apikiln: omit the URL.');
  await serveLines(stdin, stdout, author ? authorAnswers(folder) : serviceAnswers(url, env));
  return exitStatus.fine;
}
