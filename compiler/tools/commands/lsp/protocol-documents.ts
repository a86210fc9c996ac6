/** The files open in an editor, and the configurations that they belong to. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TextDocuments, type Connection } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { OpenSchemas } from '../../../analyze/database/open-schemas.js';
import { OpenConfiguration, type EditedText, type View } from './open-configuration.js';
import { pathOf } from './protocol-position.js';

/** A position in the language server protocol. */
interface Position {
  readonly line: number;
  readonly character: number;
}

/** A file of a configuration with its latest text. */
export interface OpenFile {
  readonly configuration: OpenConfiguration;
  readonly document: TextDocument;
  readonly file: EditedText;
}

export interface OpenDocumentEvents {
  /** A file of a configuration, or a file that it is checked with, has changed. `path` is the path of the configuration. */
  readonly changed: (path: string) => void;
  /** The last open file of a configuration was closed. */
  readonly closed: (path: string) => void;
}

export class OpenDocuments {
  readonly #documents = new TextDocuments(TextDocument);
  /** Configurations with an open file, by path. */
  readonly #open = new Map<string, OpenConfiguration>();
  /** Configuration path of each open file, by URI. */
  readonly #owners = new Map<string, string>();
  /** The `include` patterns of each configuration, as written. */
  readonly #patterns = new Map<string, string>();
  /** Schema databases, shared by all configurations with the same schema. */
  readonly #schemas = new OpenSchemas();

  constructor(private readonly events: OpenDocumentEvents) {}

  listen(connection: Connection): void {
    this.#documents.onDidChangeContent(({ document }) => {
      this.#changed(document);
    });
    this.#documents.onDidSave(() => {
      this.#otherFilesChanged();
    });
    connection.onDidChangeWatchedFiles(({ changes }) => {
      // Ignores changes in packages, of which an installation causes thousands.
      if (changes.some(({ uri }) => !uri.includes('/node_modules/'))) this.#otherFilesChanged();
    });
    this.#documents.onDidClose(({ document }) => {
      this.#disown(document.uri);
      // Unsaved changes of the closed file no longer affect configurations that use it.
      this.#changedBeside(pathOf(document.uri));
    });
    this.#documents.listen(connection);
  }

  /** Undefined if the file is not open or not part of a configuration. */
  get(uri: string): OpenFile | undefined {
    const document = this.#documents.get(uri);
    const configuration = this.#open.get(this.#owners.get(uri) ?? '');
    const path = pathOf(uri);
    if (document === undefined || configuration === undefined || path === undefined) return undefined;
    return { configuration, document, file: { path, text: document.getText() } };
  }

  /** Paths of the open configurations. */
  get paths(): string[] {
    return [...this.#open.keys()];
  }

  /**
   * The open files of a configuration, starting with the configuration itself. Includes files that are viewed as part of another
   * configuration.
   */
  filesOf(path: string): OpenFile[] {
    const configuration = this.#open.get(path);
    if (configuration === undefined) return [];
    const files = [...this.#owners].flatMap(([uri, owner]): OpenFile[] => {
      const file = this.get(uri);
      if (file === undefined || (owner !== path && !configuration.has(file.file.path))) return [];
      return [{ ...file, configuration }];
    });
    return files.sort((a, b) => Number(b.file.path === path) - Number(a.file.path === path));
  }

  /** Starts the database that the next changed statement is likely to need. */
  async warm(): Promise<void> {
    await this.#schemas.warm();
  }

  /** The open document of a file. */
  documentOf(path: string): TextDocument | undefined {
    return this.#documents.get(pathToFileURL(path).href);
  }

  /** Computes a result for a position in a file. */
  async at<Result>(
    uri: string,
    position: Position,
    compute: (view: View, offset: number, document: TextDocument) => Result,
  ): Promise<Result | undefined> {
    const open = this.get(uri);
    if (open === undefined) return undefined;
    const { configuration, document, file } = open;
    const offset = document.offsetAt(position);
    return configuration.at(file, offset, (view) => compute(view, view.into(offset), document));
  }

  /** Computes a result for a whole configuration. */
  async whole<Result>(
    uri: string,
    compute: (view: View, document: TextDocument) => Result,
  ): Promise<Result | null> {
    const open = this.get(uri);
    if (open === undefined) return null;
    const { configuration, document, file } = open;
    return configuration.whole(file, (view) => compute(view, document));
  }

  #changed(document: TextDocument): void {
    const path = pathOf(document.uri);
    if (path === undefined) return;
    const text = document.getText();
    const isOwn = isConfiguration(path, text);
    const owner = isOwn ? path : (this.#owners.get(document.uri) ?? this.#ownerOf(path));
    if (owner === undefined || (owner === path && !isOwn)) {
      this.#disown(document.uri);
      this.#changedBeside(path);
      return;
    }
    this.#own(document.uri, owner);
    // Only the configuration's main file is compared; included files are always read again.
    if (!isOwn) this.#open.get(owner)?.forget();
    const patterns = isOwn ? writtenPatterns(text) : undefined;
    if (patterns !== undefined && this.#patterns.get(path) !== patterns) {
      this.#patterns.set(path, patterns);
      this.#ownAgain();
    }
    this.events.changed(owner);
    // Other configurations may also include the file.
    for (const [other, configuration] of this.#open) {
      if (other === owner || !configuration.has(path)) continue;
      configuration.forget();
      this.events.changed(other);
    }
  }

  /** The configuration at this path: the open one, or a new object. */
  configuration(path: string): OpenConfiguration {
    return (
      this.#open.get(path) ?? new OpenConfiguration(path, (absolute) => this.#textOf(absolute), this.#schemas)
    );
  }

  #own(uri: string, owner: string): void {
    if (this.#owners.get(uri) !== owner) this.#disown(uri);
    if (!this.#open.has(owner)) this.#open.set(owner, this.configuration(owner));
    this.#owners.set(uri, owner);
  }

  /** Detaches the file from its configuration. */
  #disown(uri: string): void {
    const owner = this.#owners.get(uri);
    if (owner === undefined) return;
    this.#owners.delete(uri);
    if ([...this.#owners.values()].includes(owner)) {
      this.events.changed(owner);
      return;
    }
    this.#open.delete(owner);
    this.#patterns.delete(owner);
    this.events.closed(owner);
  }

  /** The configuration that includes the file, in the same folder or the nearest folder above. */
  #ownerOf(path: string): string | undefined {
    if (!/\.ya?ml$/i.test(path)) return undefined;
    for (let folder = dirname(path), above = ''; folder !== above; folder = dirname(folder)) {
      above = dirname(folder) === folder ? folder : '';
      const candidates = new Set([
        ...[...this.#open.keys()].filter((one) => dirname(one) === folder),
        ...['config.yaml', 'config.yml'].map((name) => join(folder, name)),
      ]);
      for (const candidate of candidates)
        if (this.#isThere(candidate) && this.configuration(candidate).includes(path)) return candidate;
    }
    return undefined;
  }

  #isThere(path: string): boolean {
    return this.documentOf(path) !== undefined || existsSync(path);
  }

  /** Reassigns open files to configurations after a change of the include patterns. */
  #ownAgain(): void {
    for (const document of this.#documents.all()) {
      const path = pathOf(document.uri);
      if (path === undefined || isConfiguration(path, document.getText())) continue;
      const owner = this.#ownerOf(path);
      if (owner === this.#owners.get(document.uri)) continue;
      this.#disown(document.uri);
      if (owner === undefined) continue;
      this.#own(document.uri, owner);
      this.events.changed(owner);
    }
  }

  /** A changed file in a configuration's folder may be an input of its checks. */
  #changedBeside(path: string | undefined): void {
    for (const [own, configuration] of this.#open) {
      if (path?.startsWith(dirname(own)) !== true) continue;
      configuration.forget();
      this.events.changed(own);
    }
  }

  #otherFilesChanged(): void {
    this.#ownAgain();
    for (const [path, configuration] of this.#open) {
      configuration.forget();
      this.events.changed(path);
    }
  }

  #textOf(absolute: string): string | undefined {
    return this.documentOf(absolute)?.getText();
  }
}

/** Recognizes configurations by file name or by content. */
function isConfiguration(path: string, text: string): boolean {
  return /^config\.ya?ml$/.test(basename(path)) || /^specification\s*:/m.test(text);
}

/** The lines of `include`; if `include` is written in an unusual notation, the whole text. */
function writtenPatterns(text: string): string {
  return /^include:.*(?:\n(?:[ \t-].*)?)*/m.exec(text)?.[0] ?? (text.includes('include') ? text : '');
}
