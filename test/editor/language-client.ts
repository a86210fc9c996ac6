/** A client of `apikiln lsp` over standard input and output. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type Diagnostic,
  type ProtocolConnection,
  type RegistrationParams,
} from 'vscode-languageserver/node';
import { repository } from '../helpers/service-fixture.js';

/** The built program and its arguments (see `builtTool`), with the embedded PostgreSQL not optimized, as in vitest.config.ts. */
export const languageServer = [
  process.execPath,
  '--liftoff-only',
  join(repository, 'dist/compiler/cli.js'),
  'lsp',
] as const;

interface Published {
  readonly uri: string;
  readonly version?: number;
  readonly diagnostics: readonly Diagnostic[];
}

export class LanguageClient {
  readonly #process;
  readonly connection: ProtocolConnection;
  readonly published: Published[] = [];
  readonly #waiting = new Set<() => void>();
  #version = 0;
  #stderr = '';

  /** Starts the built tool or another command. */
  constructor(command: readonly string[] = languageServer) {
    const [program = '', ...args] = command;
    this.#process = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#process.stderr.on('data', (data: Buffer) => (this.#stderr += data.toString()));
    this.connection = createProtocolConnection(
      new StreamMessageReader(this.#process.stdout),
      new StreamMessageWriter(this.#process.stdin),
    );
    this.connection.onNotification('textDocument/publishDiagnostics', (params: Published) => {
      this.published.push(params);
      for (const wake of this.#waiting) wake();
    });
    this.connection.listen();
  }

  /** The file patterns that the server asks the client to watch. */
  readonly watched: string[] = [];

  /** `folders`: the workspace folders. `workspaceEdit`: the client's capabilities for edits. */
  async start(
    folders: readonly string[] = [],
    workspaceEdit: object = {},
  ): Promise<{ readonly capabilities: Readonly<Record<string, unknown>> }> {
    this.connection.onRequest('client/registerCapability', ({ registrations }: RegistrationParams) => {
      for (const { method, registerOptions } of registrations) {
        const { watchers = [] } = registerOptions as { watchers?: readonly { globPattern: string }[] };
        if (method === 'workspace/didChangeWatchedFiles')
          this.watched.push(...watchers.map(({ globPattern }) => globPattern));
      }
      for (const wake of this.#waiting) wake();
      return null;
    });
    const result = await this.connection.sendRequest('initialize', {
      processId: process.pid,
      rootUri: null,
      workspaceFolders: folders.map((path) => ({ uri: pathToFileURL(path).href, name: path })),
      capabilities: {
        workspace: { workspaceEdit, didChangeWatchedFiles: { dynamicRegistration: true } },
      },
    });
    await this.connection.sendNotification('initialized', {});
    return result as { capabilities: Readonly<Record<string, unknown>> };
  }

  async open(path: string, text: string, languageId = 'yaml'): Promise<string> {
    const uri = pathToFileURL(path).href;
    this.#version += 1;
    await this.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId, version: this.#version, text },
    });
    return uri;
  }

  /** Replaces a range or the whole text; returns the new version. */
  async change(uri: string, text: string, range?: unknown): Promise<number> {
    this.#version += 1;
    await this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version: this.#version },
      contentChanges: [range === undefined ? { text } : { range, text }],
    });
    return this.#version;
  }

  /** The diagnostics of the latest version. */
  async diagnostics(uri: string, version = this.#version): Promise<readonly Diagnostic[]> {
    for (;;) {
      const found = this.published.find((one) => one.uri === uri && one.version === version);
      if (found !== undefined) return found.diagnostics;
      await this.nextPublished();
    }
  }

  nextPublished(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
    });
  }

  request<Result>(method: string, params: object): Promise<Result> {
    return this.connection.sendRequest(method, params);
  }

  /** The exit status and standard error of the server. */
  async stop(): Promise<{ readonly status: number | null; readonly stderr: string }> {
    const gone = new Promise<number | null>((resolve) => this.#process.once('exit', resolve));
    await this.connection.sendRequest('shutdown');
    await this.connection.sendNotification('exit');
    return { status: await gone, stderr: this.#stderr };
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}

/** The position of a `|` in a text, and the text without it. */
export function atMark(marked: string): {
  readonly text: string;
  readonly position: { readonly line: number; readonly character: number };
} {
  const at = marked.indexOf('¦');
  const before = marked.slice(0, at).split('\n');
  return {
    text: marked.slice(0, at) + marked.slice(at + 1),
    position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 },
  };
}
