/** `apikiln openapi`: prints a new API description for a configuration without one, or adds to an existing description. */
import { trimmedEnd } from '../../notation/written.js';
import { screen } from '../../notation/screen-writer.js';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { mergeResponses } from '../../analyze/describe/merge-responses.js';
import { missingResponses, type MissingResponses } from '../../analyze/describe/missing-responses.js';
import { checkWithDatabases } from '../../compile.js';
import { describe } from '../describe.js';
import { writeFixed } from './fix-file.js';
import { CommandError, exitStatus } from './shared/output/exit-status.js';
import { findIncluded } from './shared/files/find-included.js';
import { schemasOf, type SchemaOptions } from './shared/files/find-schemas.js';
import { readText, reason } from './shared/files/read-text.js';
import { findConfig, reportDiagnostics, runCompilation } from './shared/run-compilation.js';
import type { Terminal } from './shared/output/terminal.js';
import { counted } from '../../read/diagnostics/quoted-list.js';

export interface OpenapiOptions extends SchemaOptions {
  readonly format?: 'json' | 'yaml';
  /** The file to write; if omitted, the description is printed. */
  readonly out?: string;
  readonly quiet?: boolean;
  /** Whether to add the errors that the service sends to the existing description. */
  readonly merge?: boolean;
  /** The API description to merge into; by default the one next to the configuration. */
  readonly openapi?: string;
}

export async function openapi(
  path: string | undefined,
  options: OpenapiOptions,
  terminal: Terminal,
): Promise<number> {
  if (options.merge === true) return mergeErrors(path, options, terminal);
  const { out, quiet, format = /\.ya?ml$/i.test(out ?? '') ? 'yaml' : 'json' } = options;
  const found = findConfig(path, terminal.folder);
  const absolute = resolve(terminal.folder, found);
  const config = { path: found, text: readText(absolute, found) };
  const place = { config: absolute, folder: terminal.folder };
  const databases = schemasOf(options, place);
  const { diagnostics, text } = await describe(config, format, databases, findIncluded(place));
  reportDiagnostics({ diagnostics }, { format: 'text', ...(quiet === undefined ? {} : { quiet }) }, terminal);
  if (text === undefined) return exitStatus.errors;
  if (out === undefined) {
    terminal.print(screen.document(trimmedEnd(text)));
    return exitStatus.fine;
  }
  try {
    // Existing files are not overwritten: they may have been written by hand.
    writeFileSync(resolve(terminal.folder, out), text, { flag: 'wx' });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST';
    throw new CommandError(
      isThere ? exitStatus.errors : exitStatus.environment,
      isThere
        ? `${out} already exists. Move it, or choose another name.`
        : `${out} cannot be written: ${reason(error)}.`,
    );
  }
  return exitStatus.fine;
}

async function mergeErrors(
  path: string | undefined,
  options: OpenapiOptions,
  terminal: Terminal,
): Promise<number> {
  // Warnings are left to `check`.
  const quiet = { ...options, format: 'text', quiet: true } as const;
  const { service, status } = await runCompilation(path, quiet, terminal, checkWithDatabases);
  if (service === undefined) return status;
  const { analysis } = service;
  if (analysis.description === undefined)
    throw new CommandError(
      exitStatus.usage,
      'There is no API description to add to. Write one with --out openapi.yaml, or name it with --openapi.',
    );
  const { path: file, text: before } = analysis.description.source;
  const missing = missingResponses(analysis);
  const { text, added, elsewhere } = mergeResponses(before, missing, analysis.config);
  if (text === undefined)
    throw new CommandError(
      exitStatus.errors,
      `${file} repeats parts by aliases, and an addition would change all of them. Add by hand: ${listOf(missing)}.`,
    );
  if (text !== before) writeFixed([{ absolute: resolve(terminal.folder, file), shown: file, text }]);
  if (options.quiet === true) return exitStatus.fine;
  const statuses = new Set(added.flatMap(({ responses }) => Object.keys(responses)));
  terminal.log(
    added.length === 0
      ? screen`${screen.text(file)}: nothing to add`
      : screen.text(
          `${file}: ${[...statuses].sort().join(', ')} added, in ${counted(added.length, 'operation')}`,
        ),
  );
  if (elsewhere.length > 0)
    terminal.log(
      screen`Responses in other files are not changed. Add by hand: ${screen.text(listOf(elsewhere))}.`,
    );
  return exitStatus.fine;
}

const maxListed = 10;

function listOf(missing: readonly MissingResponses[]): string {
  const shown = missing
    .slice(0, maxListed)
    .map(({ operation, responses }) => `${Object.keys(responses).join(', ')} of '${operation.name.value}'`);
  const more = missing.length - shown.length;
  return `${shown.join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
}
