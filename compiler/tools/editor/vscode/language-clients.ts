/** Language clients of `apikiln lsp`: one for each installed apikiln, so that each configuration is checked by its own version. */
import { window, type TextDocument } from 'vscode';
import { LanguageClient, TransportKind, type Middleware } from 'vscode-languageclient/node';
import { installationOf, node } from './installed-tool.js';

export class LanguageClients {
  /** Running clients by the path of their program. */
  readonly #clients = new Map<string, LanguageClient>();
  readonly #missing = new Set<string>();

  /** Starts the language server of the document's configuration, unless it is running. */
  async open(document: TextDocument): Promise<void> {
    const found = installationOf(document);
    if (found === undefined) return;
    const { program, root } = found;
    if (program === undefined) {
      this.#reportMissing(root);
      return;
    }
    if (this.#clients.has(program)) return;
    const client = clientOf(program, root);
    this.#clients.set(program, client);
    await client.start();
  }

  async stop(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    this.#missing.clear();
    await Promise.all(clients.map((client) => client.stop()));
  }

  /** Once for each workspace folder. */
  #reportMissing(root: string): void {
    if (this.#missing.has(root)) return;
    this.#missing.add(root);
    void window.showInformationMessage(
      `apikiln is not installed in ${root}. Install it with "npm install --save-dev apikiln", or set "apikiln.path". Then run "apikiln: Restart the Language Server".`,
    );
  }
}

function clientOf(program: string, root: string): LanguageClient {
  // The server ignores other YAML files, and serves only files that were opened, so other requests need no filter.
  const isServed = (document: TextDocument): boolean =>
    (installationOf(document)?.program ?? program) === program;
  const middleware: Middleware = {
    didOpen: async (document, next) => (isServed(document) ? next(document) : undefined),
    didChange: async (event, next) => (isServed(event.document) ? next(event) : undefined),
    didSave: async (document, next) => (isServed(document) ? next(document) : undefined),
  };
  return new LanguageClient(
    'apikiln',
    'apikiln',
    { command: node(), args: [program, 'lsp'], transport: TransportKind.stdio, options: { cwd: root } },
    { documentSelector: [{ scheme: 'file', language: 'yaml' }], middleware },
  );
}
