/** `apikiln openapi`: prints an API description of a configuration that has none. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe } from '../describe.js';
import { CommandError, exitStatus } from './shared/exit-status.js';
import { schemasOf, type SchemaOptions } from './shared/find-schemas.js';
import { readText, reason } from './shared/read-text.js';
import { findConfig, reportDiagnostics } from './shared/run-compilation.js';
import type { Terminal } from './shared/terminal.js';

export interface OpenapiOptions extends SchemaOptions {
  readonly format?: 'json' | 'yaml';
  /** The file to write; without it the description is printed. */
  readonly out?: string;
  readonly quiet?: boolean;
}

export async function openapi(
  path: string | undefined,
  options: OpenapiOptions,
  terminal: Terminal,
): Promise<number> {
  const { out, quiet, format = /\.ya?ml$/i.test(out ?? '') ? 'yaml' : 'json' } = options;
  const found = findConfig(path, terminal.folder);
  const absolute = resolve(terminal.folder, found);
  const config = { path: found, text: readText(absolute, found) };
  const databases = schemasOf(options, absolute, terminal.folder, () => undefined);
  const { diagnostics, text } = await describe(config, format, databases);
  reportDiagnostics({ diagnostics }, { format: 'text', ...(quiet === undefined ? {} : { quiet }) }, terminal);
  if (text === undefined) return exitStatus.errors;
  if (out === undefined) {
    terminal.print(text.trimEnd());
    return exitStatus.fine;
  }
  try {
    // What is there may have been written by hand.
    writeFileSync(resolve(terminal.folder, out), text, { flag: 'wx' });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CommandError(
      exitStatus.environment,
      isThere
        ? `${out} is there already. Move it away, or choose another name.`
        : `${out} cannot be written: ${reason(error)}.`,
    );
  }
  return exitStatus.fine;
}
