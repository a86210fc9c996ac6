/** Finds symbols by name in all configurations of a workspace, both open ones and those in its folders. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SymbolInformation } from 'vscode-languageserver/node';
import type { Config } from '../../../read/config/config-model.js';
import { documentSymbols, type DocumentSymbol } from '../../editor/document-symbols.js';
import { rangeIn } from './protocol-diagnostic.js';
import type { OpenDocuments } from './protocol-documents.js';
import { symbolKinds } from './protocol-items.js';
import { uriOf } from './protocol-position.js';

/** Maximum number of symbols sent, and of folders searched. */
const max = { symbols: 500, folders: 2000 };

export class WorkspaceSymbols {
  /** Symbols of each configuration by path, valid until a file changes. */
  #known = new Map<string, Promise<readonly SymbolInformation[]>>();

  constructor(
    private readonly documents: OpenDocuments,
    /** Folders of the workspace. */
    private readonly folders: readonly string[],
  ) {}

  /** The symbols whose names contain the query's characters in order. */
  async find(query: string): Promise<SymbolInformation[]> {
    const paths = new Set([...this.documents.paths, ...this.folders.flatMap(configurationsIn)]);
    const all = await Promise.all([...paths].map((path) => this.#symbolsOf(path)));
    return all
      .flat()
      .filter(({ name }) => matches(query.toLowerCase(), name.toLowerCase()))
      .slice(0, max.symbols);
  }

  /** Call after a file has changed. */
  forget(): void {
    this.#known = new Map();
  }

  #symbolsOf(path: string): Promise<readonly SymbolInformation[]> {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    const found = this.documents
      .configuration(path)
      .outline((config) => symbolsIn(config, path))
      .then((symbols = []) => symbols);
    this.#known.set(path, found);
    return found;
  }
}

/** `path` is the path of the configuration. */
function symbolsIn(config: Config, path: string): SymbolInformation[] {
  return [config.source, ...config.included].flatMap((source) => {
    const uri = uriOf(source.path, path);
    const flat = (one: DocumentSymbol, containerName?: string): SymbolInformation[] => [
      {
        name: one.name,
        kind: symbolKinds[one.kind],
        location: { uri, range: rangeIn({ source, start: one.nameStart, end: one.nameEnd }) },
        ...(containerName === undefined ? {} : { containerName }),
      },
      ...one.children.flatMap((child) => flat(child, one.name)),
    ];
    return documentSymbols(config, source).flatMap((one) => flat(one));
  });
}

/** The configurations in a folder and its subfolders, sorted by path. */
function configurationsIn(root: string): string[] {
  const found: string[] = [];
  const folders = [root];
  for (const folder of folders) {
    if (folders.length > max.folders) break;
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isFile() && /^config\.ya?ml$/.test(entry.name)) found.push(path);
      if (entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name)) folders.push(path);
    }
  }
  return found.sort();
}

function entriesOf(folder: string): ReturnType<typeof readEntries> {
  try {
    return readEntries(folder);
  } catch {
    // Unreadable folders are skipped.
    return [];
  }
}

function readEntries(folder: string) {
  return readdirSync(folder, { withFileTypes: true });
}

function matches(query: string, name: string): boolean {
  let at = 0;
  for (const character of query) {
    const found = name.indexOf(character, at);
    if (found === -1) return false;
    at = found + 1;
  }
  return true;
}
