/** Renames as the language server protocol has them: edits of files, and a file that has the name of a function. */
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
 * Renames the function in its file and in those that import it, then the file. Empty if the user has not written it; a sentence if another
 * file, or another declaration in one of them, has the name.
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
  if (existsSync(join(folder, next))) return `There is a file ${next} already.`;
  // Loaded here, because it brings the TypeScript compiler.
  const { renamedCode } = await import('../../editor/renamed-code.js');
  const renamed = renamedCode(files, name, newName);
  if (typeof renamed === 'string') return renamed;
  const edits = renamed.map((file) =>
    TextDocumentEdit.create({ uri: uri(file.source.path), version: null }, textEdits(file)),
  );
  return [...edits, RenameFile.create(uri(own), uri(next))];
}
