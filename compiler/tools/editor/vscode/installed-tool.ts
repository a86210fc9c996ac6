/** The apikiln of a document in VS Code, and how its commands are started: as processes, without a shell. */
import { workspace, type TextDocument, type Uri } from 'vscode';
import { configurationOf, findTool } from './find-tool.js';

/** A configuration with the tool that compiles it. */
export interface Installation {
  /** The path of the configuration. */
  readonly configuration: string;
  /** The workspace folder that contains it. */
  readonly root: string;
  /** The path of the tool's `cli.js`; undefined if apikiln is not installed. */
  readonly program: string | undefined;
}

/** Undefined if the document belongs to no configuration of the workspace. */
export function installationOf(document: TextDocument): Installation | undefined {
  const root = rootOf(document.uri);
  if (root === undefined || document.languageId !== 'yaml') return undefined;
  const configuration = configurationOf(document.uri.fsPath, document.getText(), root);
  return configuration === undefined ? undefined : installationFor(configuration, root);
}

export function installationFor(configuration: string, root: string): Installation {
  const settings = { path: setting('path', ''), searchPath: process.env['PATH'] ?? '' };
  return { configuration, root, program: findTool(configuration, root, settings) };
}

/** The path of the workspace folder of a file; undefined for a file that is not on disk or in no folder. */
export function rootOf(uri: Uri): string | undefined {
  return uri.scheme === 'file' ? workspace.getWorkspaceFolder(uri)?.uri.fsPath : undefined;
}

/** The program that runs the tool. */
export function node(): string {
  return setting('node', 'node');
}

function setting(name: string, fallback: string): string {
  const value = workspace.getConfiguration('apikiln').get<string>(name);
  return value === undefined || value.trim() === '' ? fallback : value;
}

/** All configurations in the workspace. */
export async function configurations(): Promise<{ readonly configuration: string; readonly root: string }[]> {
  const found = await workspace.findFiles('**/config.{yaml,yml}', '**/node_modules/**');
  const all = await Promise.all(
    found.map(async (uri) => {
      const root = rootOf(uri);
      if (root === undefined) return [];
      const text = new TextDecoder().decode(await workspace.fs.readFile(uri));
      const configuration = configurationOf(uri.fsPath, text, root);
      return configuration === uri.fsPath ? [{ configuration, root }] : [];
    }),
  );
  return all.flat().sort((a, b) => (a.configuration < b.configuration ? -1 : 1));
}
