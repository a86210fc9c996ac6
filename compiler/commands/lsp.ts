/** `apikiln lsp`: a language server on standard input and output. */
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  CodeActionKind,
  createConnection,
  ProposedFeatures,
  ResponseError,
  TextDocuments,
  TextDocumentSyncKind,
  type Connection,
  type InitializeResult,
  type Location,
} from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { Explanations } from '../diagnostics/explanation.js';
import { complete } from '../editor/complete.js';
import { documentSymbols } from '../editor/document-symbols.js';
import { formatExpressions } from '../editor/format-expressions.js';
import { hoverAt } from '../editor/hover.js';
import { sameAs, type Occurrence } from '../editor/occurrences.js';
import { renamable, rename } from '../editor/rename.js';
import { readExplanations } from '../assets.js';
import { exitStatus } from './exit-status.js';
import { OpenConfiguration, type View } from './open-configuration.js';
import { packageFolder, readVersion } from './package-folder.js';
import { rangeIn, toProtocol } from './protocol-diagnostic.js';
import { pathOf, uriOf, rangeBetween, editIn } from './protocol-position.js';
import { itemOf, otherOperations, symbolOf } from './protocol-items.js';
import { codeActions, fixAll } from './protocol-actions.js';

/** Serves until the client ends it or disappears; returns the exit status. */
export function lsp(): Promise<number> {
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
  return new LanguageServer(connection, readExplanations(packageFolder())).run();
}

/** Milliseconds without a key, after which diagnostics are looked for: short where the last ones were quickly found. */
const debounce = { quick: 20, slow: 120 };

/** Milliseconds of an examination that is quick. */
const quick = 150;

class LanguageServer {
  readonly #documents = new TextDocuments(TextDocument);
  readonly #open = new Map<string, OpenConfiguration>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** The configurations of which diagnostics are quickly found. */
  readonly #isQuick = new Set<string>();
  /** The files of which something was published for each configuration. */
  readonly #published = new Map<string, ReadonlySet<string>>();
  /** The last diagnostics of each configuration, and the version that they are of. */
  readonly #found = new Map<
    string,
    { readonly version: number; readonly diagnostics: readonly Diagnostic[] }
  >();

  constructor(
    private readonly connection: Connection,
    private readonly explanations: Explanations,
  ) {}

  run(): Promise<number> {
    const { connection } = this;
    connection.onInitialize(() => this.#initialize());
    connection.onCompletion(async ({ textDocument, position }) => {
      const document = this.#documents.get(textDocument.uri);
      const configuration = this.#open.get(textDocument.uri);
      if (document === undefined || configuration === undefined) return [];
      const text = document.getText();
      const offset = document.offsetAt(position);
      return configuration.at(text, offset, (view) => {
        const isFocused = view.text !== text;
        const own = complete(view.text, view.into(offset), view.analysis);
        // Names of the whole file are found in its text.
        const all = isFocused ? [...own, ...otherOperations(text, own)] : own;
        return all.map((one, rank) => itemOf(one, rank, document, offset));
      });
    });
    connection.onHover(({ textDocument, position }) =>
      this.#at(textDocument.uri, position, (view, offset, document) => {
        const hover = hoverAt(view.text, offset, view.analysis);
        return (
          hover && {
            contents: { kind: 'markdown', value: hover.text },
            range: rangeBetween(document, view.back(hover.start), view.back(hover.end)),
          }
        );
      }),
    );
    connection.onDefinition(({ textDocument, position }) =>
      this.#spans(textDocument.uri, position, ({ isDefinition }) => isDefinition),
    );
    connection.onReferences(({ textDocument, position, context }) =>
      this.#spans(
        textDocument.uri,
        position,
        ({ isDefinition }) => context.includeDeclaration || !isDefinition,
      ),
    );
    connection.onDocumentSymbol(({ textDocument }) =>
      this.#whole(textDocument.uri, ({ analysis }, document) =>
        analysis === undefined ? [] : documentSymbols(analysis.config).map((one) => symbolOf(one, document)),
      ),
    );
    connection.onPrepareRename(({ textDocument, position }) =>
      this.#whole(textDocument.uri, ({ analysis }, document) => {
        const found = analysis && renamable(analysis, document.offsetAt(position));
        if (found === undefined || typeof found === 'string') return null;
        return { range: rangeBetween(document, found.span.start, found.span.end), placeholder: found.name };
      }),
    );
    connection.onRenameRequest(({ textDocument, position, newName }) =>
      this.#whole(textDocument.uri, ({ analysis }, document) => {
        if (analysis === undefined) return null;
        const edits = rename(analysis, document.offsetAt(position), newName);
        if (typeof edits === 'string') return new ResponseError<undefined>(requestFailed, edits);
        return { changes: { [textDocument.uri]: edits.map((edit) => editIn(document, edit)) } };
      }),
    );
    connection.onDocumentFormatting(({ textDocument }) =>
      this.#whole(textDocument.uri, ({ analysis }, document) =>
        analysis === undefined
          ? []
          : formatExpressions(analysis.config).map((edit) => editIn(document, edit)),
      ),
    );
    connection.onCodeAction(async ({ textDocument: { uri }, range, context: { only } }) => {
      const document = this.#documents.get(uri);
      const configuration = this.#open.get(uri);
      if (document === undefined || configuration === undefined) return [];
      const known = this.#found.get(uri);
      const diagnostics =
        known?.version === document.version
          ? known.diagnostics
          : await configuration.diagnostics(document.getText());
      const { path } = configuration;
      return codeActions({ document, path, explanations: this.explanations, diagnostics, range, only });
    });
    this.#documents.onDidChangeContent(({ document }) => {
      this.#changed(document);
    });
    this.#documents.onDidSave(() => {
      this.#otherFilesChanged();
    });
    connection.onDidChangeWatchedFiles(() => {
      this.#otherFilesChanged();
    });
    this.#documents.onDidClose(({ document }) => {
      this.#close(document.uri);
      // What was not saved of it no longer counts.
      this.#changedBeside(pathOf(document.uri));
    });
    const over = new Promise<number>((resolve) => {
      connection.onExit(() => {
        resolve(exitStatus.fine);
      });
      process.stdin.once('end', () => {
        resolve(exitStatus.fine);
      });
    });
    this.#documents.listen(connection);
    connection.listen();
    return over;
  }

  #initialize(): InitializeResult {
    return {
      serverInfo: { name: 'apikiln', version: readVersion() },
      capabilities: {
        textDocumentSync: {
          openClose: true,
          change: TextDocumentSyncKind.Incremental,
          save: { includeText: false },
        },
        completionProvider: { triggerCharacters: ['.', '(', '$', '{', '[', ' ', '@', ':'] },
        hoverProvider: true,
        definitionProvider: true,
        referencesProvider: true,
        renameProvider: { prepareProvider: true },
        documentSymbolProvider: true,
        documentFormattingProvider: true,
        codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, fixAll] },
      },
    };
  }

  #changed(document: TextDocument): void {
    const path = pathOf(document.uri);
    if (path === undefined) return;
    if (isConfiguration(path, document.getText())) {
      if (!this.#open.has(document.uri))
        this.#open.set(document.uri, new OpenConfiguration(path, (absolute) => this.#textOf(absolute)));
      this.#schedule(document.uri);
      return;
    }
    this.#close(document.uri);
    this.#changedBeside(path);
  }

  /** A file in the folder of a configuration may be one that it is checked with. */
  #changedBeside(path: string | undefined): void {
    for (const [uri, configuration] of this.#open) {
      if (path?.startsWith(dirname(configuration.path)) !== true) continue;
      configuration.forget();
      this.#schedule(uri);
    }
  }

  #otherFilesChanged(): void {
    for (const [uri, configuration] of this.#open) {
      configuration.forget();
      this.#schedule(uri);
    }
  }

  #textOf(absolute: string): string | undefined {
    return this.#documents.get(pathToFileURL(absolute).href)?.getText();
  }

  #close(uri: string): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.delete(uri);
    this.#open.delete(uri);
    this.#isQuick.delete(uri);
    this.#found.delete(uri);
    for (const published of this.#published.get(uri) ?? [])
      void this.connection.sendDiagnostics({ uri: published, diagnostics: [] });
    this.#published.delete(uri);
  }

  #schedule(uri: string): void {
    clearTimeout(this.#timers.get(uri));
    this.#timers.set(
      uri,
      setTimeout(
        () => {
          this.#examine(uri).catch((error: unknown) => {
            this.connection.console.warn(error instanceof Error ? error.message : 'The examination failed.');
          });
        },
        this.#isQuick.has(uri) ? debounce.quick : debounce.slow,
      ),
    );
  }

  async #examine(uri: string): Promise<void> {
    const configuration = this.#open.get(uri);
    const document = this.#documents.get(uri);
    if (configuration === undefined || document === undefined) return;
    const { version } = document;
    const begin = performance.now();
    const diagnostics = await configuration.diagnostics(document.getText());
    if (performance.now() - begin < quick) this.#isQuick.add(uri);
    else this.#isQuick.delete(uri);
    // While it was looked at, somebody has typed on: the newest text has its own turn.
    if (this.#documents.get(uri)?.version !== version || !this.#open.has(uri)) return;
    this.#found.set(uri, { version, diagnostics });
    const byUri = new Map<string, Diagnostic[]>([[uri, []]]);
    for (const diagnostic of diagnostics) {
      const own = uriOf(diagnostic.span.source.path, configuration.path);
      byUri.set(own, [...(byUri.get(own) ?? []), diagnostic]);
    }
    for (const gone of this.#published.get(uri) ?? [])
      if (!byUri.has(gone)) await this.connection.sendDiagnostics({ uri: gone, diagnostics: [] });
    this.#published.set(uri, new Set(byUri.keys()));
    const locate = (path: string): string => uriOf(path, configuration.path);
    for (const [own, list] of byUri) {
      await this.connection.sendDiagnostics({
        uri: own,
        ...(own === uri ? { version } : {}),
        diagnostics: list.slice(0, maxShown).map((one) => toProtocol(one, this.explanations, locate)),
      });
    }
  }

  async #at<Result>(
    uri: string,
    position: { readonly line: number; readonly character: number },
    compute: (view: View, offset: number, document: TextDocument) => Result,
  ): Promise<Result | undefined> {
    const document = this.#documents.get(uri);
    const configuration = this.#open.get(uri);
    if (document === undefined || configuration === undefined) return undefined;
    const offset = document.offsetAt(position);
    return configuration.at(document.getText(), offset, (view) => compute(view, view.into(offset), document));
  }

  async #whole<Result>(
    uri: string,
    compute: (view: View, document: TextDocument) => Result,
  ): Promise<Result | null> {
    const document = this.#documents.get(uri);
    const configuration = this.#open.get(uri);
    if (document === undefined || configuration === undefined) return null;
    return configuration.whole(document.getText(), (view) => compute(view, document));
  }

  async #spans(
    uri: string,
    position: { readonly line: number; readonly character: number },
    wanted: (occurrence: Occurrence) => boolean,
  ): Promise<Location[]> {
    const path = this.#open.get(uri)?.path ?? '';
    const found = await this.#whole(uri, ({ analysis }, document) =>
      analysis === undefined ? [] : sameAs(analysis, document.offsetAt(position)).filter(wanted),
    );
    return (found ?? []).map(({ span }) => ({ uri: uriOf(span.source.path, path), range: rangeIn(span) }));
  }
}

/** Of the protocol: the request was understood, and cannot be done. */
const requestFailed = -32_803;

/** So many diagnostics of one file are sent. */
const maxShown = 1000;

/** Also a file with another name, if its content is a configuration. */
function isConfiguration(path: string, text: string): boolean {
  return /^config\.ya?ml$/.test(basename(path)) || /^specification\s*:/m.test(text);
}
