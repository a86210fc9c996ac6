/** Converts files, ranges and edits to the language server protocol. */
import { dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Range } from 'vscode-languageserver/node';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { Fix } from '../../../read/diagnostics/fix.js';

export function pathOf(uri: string): string | undefined {
  return uri.startsWith('file:') ? fileURLToPath(uri) : undefined;
}

export function uriOf(path: string, configuration: string): string {
  return pathToFileURL(isAbsolute(path) ? path : resolve(dirname(configuration), path)).href;
}

export function rangeBetween(document: TextDocument, start: number, end: number): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

export function editIn(
  document: TextDocument,
  { start, end, text }: Fix['edits'][number],
): { range: Range; newText: string } {
  return { range: rangeBetween(document, start, end), newText: text };
}
