/** The files that an editor has open, and the configurations among them. */
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TextDocuments, type Connection } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { OpenConfiguration, type View } from './open-configuration.js';
import { pathOf } from './protocol-position.js';

/** A position of the protocol. */
interface Position {
  readonly line: number;
  readonly character: number;
}

/** A configuration and its newest text. */
export interface OpenFile {
  readonly configuration: OpenConfiguration;
  readonly document: TextDocument;
}

export interface OpenDocumentEvents {
  /** A configuration, or a file that it is checked with, has changed. */
  readonly changed: (uri: string) => void;
  /** A configuration is no longer open, or no longer one. */
  readonly closed: (uri: string) => void;
}

export class OpenDocuments {
  readonly #documents = new TextDocuments(TextDocument);
  readonly #open = new Map<string, OpenConfiguration>();

  constructor(private readonly events: OpenDocumentEvents) {}

  listen(connection: Connection): void {
    this.#documents.onDidChangeContent(({ document }) => {
      this.#changed(document);
    });
    this.#documents.onDidSave(() => {
      this.#otherFilesChanged();
    });
    connection.onDidChangeWatchedFiles(({ changes }) => {
      // Of packages, of which an installation changes thousands, no configuration is made.
      if (changes.some(({ uri }) => !uri.includes('/node_modules/'))) this.#otherFilesChanged();
    });
    this.#documents.onDidClose(({ document }) => {
      this.#close(document.uri);
      // Its unsaved changes no longer count for configurations that use it.
      this.#changedBeside(pathOf(document.uri));
    });
    this.#documents.listen(connection);
  }

  /** Undefined for a file that is not open, or not a configuration. */
  get(uri: string): OpenFile | undefined {
    const document = this.#documents.get(uri);
    const configuration = this.#open.get(uri);
    return document && configuration && { configuration, document };
  }

  /** Computes a result for a position of a configuration. */
  async at<Result>(
    uri: string,
    position: Position,
    compute: (view: View, offset: number, document: TextDocument) => Result,
  ): Promise<Result | undefined> {
    const open = this.get(uri);
    if (open === undefined) return undefined;
    const { configuration, document } = open;
    const offset = document.offsetAt(position);
    return configuration.at(document.getText(), offset, (view) => compute(view, view.into(offset), document));
  }

  /** Computes a result for a whole configuration. */
  async whole<Result>(
    uri: string,
    compute: (view: View, document: TextDocument) => Result,
  ): Promise<Result | null> {
    const open = this.get(uri);
    if (open === undefined) return null;
    const { configuration, document } = open;
    return configuration.whole(document.getText(), (view) => compute(view, document));
  }

  #changed(document: TextDocument): void {
    const path = pathOf(document.uri);
    if (path === undefined) return;
    if (isConfiguration(path, document.getText())) {
      if (!this.#open.has(document.uri))
        this.#open.set(document.uri, new OpenConfiguration(path, (absolute) => this.#textOf(absolute)));
      this.events.changed(document.uri);
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
      this.events.changed(uri);
    }
  }

  #otherFilesChanged(): void {
    for (const [uri, configuration] of this.#open) {
      configuration.forget();
      this.events.changed(uri);
    }
  }

  #textOf(absolute: string): string | undefined {
    return this.#documents.get(pathToFileURL(absolute).href)?.getText();
  }

  #close(uri: string): void {
    this.#open.delete(uri);
    this.events.closed(uri);
  }
}

/** Also a file with another name, if its content is a configuration. */
function isConfiguration(path: string, text: string): boolean {
  return /^config\.ya?ml$/.test(basename(path)) || /^specification\s*:/m.test(text);
}
