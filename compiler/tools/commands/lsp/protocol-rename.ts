/** Converts renames to the language server protocol: text edits, and the renaming of a file named after a function. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RenameFile, TextDocumentEdit, type TextEdit } from 'vscode-languageserver/node';
import { fileOfFunction } from '../../typescript/exported-function.js';
import type { FileEdits } from '../../editor/rename.js';
import type { OpenConfiguration } from './open-configuration.js';
import { rangeIn } from './protocol-diagnostic.js';
import { uriOf } from './protocol-position.js';

/** The edits of a file. */
export function textEdits({ source, edits }: FileEdits): TextEdit[] {
  return edits.map(({ start, end, text }) => ({ range: rangeIn({ source, start, end }), newText: text }));
}

/**
 * Renames a function in its file and in files that import it, and then renames the file. Empty if the user has not written the file; a
 * sentence if the new name is already used by another file or by another declaration in these files.
 */
export async function renameOwnCode(
  configuration: OpenConfiguration,
  name: string,
  newName: string,
): Promise<(TextDocumentEdit | RenameFile)[] | string> {
  const folder = configuration.serviceFolder;
  const uri = (path: string): string => uriOf(join(folder, path), configuration.path);
  const own = fileOfFunction(name);
  const files = configuration.ownFiles();
  if (!files.some(({ path }) => path === own)) return [];
  const next = fileOfFunction(newName);
  if (existsSync(join(folder, next))) return `The file ${next} already exists.`;
  // Imported lazily, because it loads the TypeScript compiler.
  const { renamedCode } = await import('../../editor/renamed-code.js');
  const renamed = renamedCode(files, name, newName);
  if (typeof renamed === 'string') return renamed;
  const edits = renamed.map((file) =>
    TextDocumentEdit.create({ uri: uri(file.source.path), version: null }, textEdits(file)),
  );
  return [...edits, RenameFile.create(uri(own), uri(next))];
}
