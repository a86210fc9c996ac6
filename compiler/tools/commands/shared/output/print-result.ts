/** The output of a command for programs: a single document on standard output, whatever the outcome. */
import { readExplanations } from '../../../../generate/assets.js';
import type { Diagnostic } from '../../../../read/diagnostics/diagnostic.js';
import { githubCommand } from '../../../../notation/github-writer.js';
import { json } from '../../../../notation/json-writer.js';
import { screen } from '../../../../notation/screen-writer.js';
import { printGithub } from '../../../../read/diagnostics/print/print-github.js';
import { jsonOf } from '../../../../read/diagnostics/print/print-json.js';
import { printSarif } from '../../../../read/diagnostics/print/print-sarif.js';
import type { Format } from './formats.js';
import { packageFolder, readVersion } from '../files/package-folder.js';
import type { Terminal } from './terminal.js';

/** Why a command failed; `details` are lines about an internal failure of the compiler. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly details?: readonly string[];
}

/**
 * Prints the diagnostics in a machine-readable format; `more` contains further results of the command, for JSON. Prints nothing in text
 * format.
 */
export function printResult(
  format: Format,
  diagnostics: readonly Diagnostic[],
  terminal: Terminal,
  more: object = {},
): void {
  if (format === 'json') printDocument(terminal, { diagnostics: diagnostics.map(jsonOf), ...more });
  if (format === 'github') for (const diagnostic of diagnostics) terminal.command(printGithub(diagnostic));
  if (format === 'sarif') {
    const explanations =
      diagnostics.length === 0 ? new Map<string, never>() : readExplanations(packageFolder());
    terminal.print(screen.document(printSarif(diagnostics, explanations, readVersion())));
  }
}

/** Prints a command's failure as JSON, SARIF or a GitHub annotation. */
export function printFailure(format: Exclude<Format, 'text'>, failure: Failure, terminal: Terminal): void {
  if (format === 'json') printDocument(terminal, { diagnostics: [], error: failure });
  else if (format === 'sarif')
    terminal.print(screen.document(printSarif([], new Map(), readVersion(), failure)));
  else terminal.command(githubCommand('error', {}, [failure.message, ...(failure.details ?? [])].join('\n')));
}

function printDocument(terminal: Terminal, document: object): void {
  terminal.print(screen.document(json.value(document, 2)));
}
