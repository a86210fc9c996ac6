/** The files that an editor has open, and the configurations among them. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TextDocuments, type Connection } from 'vscode-languageserver/node';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { OpenSchemas } from '../../../analyze/database/open-schemas.js';
import { OpenConfiguration, type EditedText, type View } from './open-configuration.js';
import { pathOf } from './protocol-position.js';

/** A position of the protocol. */
interface Position {
  readonly line: number;
  readonly character: number;
}

/** A file of a configuration, and its newest text. */
export interface OpenFile {
  readonly configuration: OpenConfiguration;
  readonly document: TextDocument;
  readonly file: EditedText;
}

export interface OpenDocumentEvents {
  /** A file of a configuration, or one that it is checked with, has changed. `path` is that of the configuration. */
  readonly changed: (path: string) => void;
  /** No file of a configuration is open any longer. */
  readonly closed: (path: string) => void;
}

export class OpenDocuments {
  readonly #documents = new TextDocuments(TextDocument);
  /** By path: those of which a file is open. */
  readonly #open = new Map<string, OpenConfiguration>();
  /** The path of the configuration of each open file, by its URI. */
  readonly #owners = new Map<string, string>();
  /** The `include` patterns of each configuration, as written. */
  readonly #patterns = new Map<string, string>();
  /** Databases of their schemas: one for all configurations with the same one. */
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
      // Of packages, of which an installation changes thousands, no configuration is made.
      if (changes.some(({ uri }) => !uri.includes('/node_modules/'))) this.#otherFilesChanged();
    });
    this.#documents.onDidClose(({ document }) => {
      this.#disown(document.uri);
      // Its unsaved changes no longer count for configurations that use it.
      this.#changedBeside(pathOf(document.uri));
    });
    this.#documents.listen(connection);
  }

  /** Undefined for a file that is not open, or not a file of a configuration. */
  get(uri: string): OpenFile | undefined {
    const document = this.#documents.get(uri);
    const configuration = this.#open.get(this.#owners.get(uri) ?? '');
    const path = pathOf(uri);
    if (document === undefined || configuration === undefined || path === undefined) return undefined;
    return { configuration, document, file: { path, text: document.getText() } };
  }

  /** The paths of the open configurations. */
  get paths(): string[] {
    return [...this.#open.keys()];
  }

  /** The open files of a configuration, itself first: also those that are looked at as files of another one. */
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

  /** Computes a result for a position of a file. */
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
    // Only its own file is compared; included files are read again.
    if (!isOwn) this.#open.get(owner)?.forget();
    const patterns = isOwn ? writtenPatterns(text) : undefined;
    if (patterns !== undefined && this.#patterns.get(path) !== patterns) {
      this.#patterns.set(path, patterns);
      this.#ownAgain();
    }
    this.events.changed(owner);
    // Others may include it, too.
    for (const [other, configuration] of this.#open) {
      if (other === owner || !configuration.has(path)) continue;
      configuration.forget();
      this.events.changed(other);
    }
  }

  /** The one of that path: the open one, or another one. */
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

  /** The file no longer belongs to a configuration. */
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

  /** The configuration that includes the file: in its folder, or in the nearest one above. */
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

  /** Files may now belong to a configuration, or no longer belong to one. */
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

  /** A file in the folder of a configuration may be one that it is checked with. */
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

/** Also a file with another name, if its content is a configuration. */
function isConfiguration(path: string, text: string): boolean {
  return /^config\.ya?ml$/.test(basename(path)) || /^specification\s*:/m.test(text);
}

/** The lines of `include`; in another notation than usual all of a text that may have it. */
function writtenPatterns(text: string): string {
  return /^include:.*(?:\n(?:[ \t-].*)?)*/m.exec(text)?.[0] ?? (text.includes('include') ? text : '');
}
