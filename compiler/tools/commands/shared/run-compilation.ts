/** The common part of compiling commands: reads the configuration, compiles it, and reports its diagnostics. */
import { screen } from '../../../notation/screen-writer.js';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Databases } from '../../../analyze/operations/statements/statement-descriptions.js';
import type { Input } from '../../../compile.js';
import type { Diagnostic } from '../../../read/diagnostics/diagnostic.js';
import { printText, summary } from '../../../read/diagnostics/print/print-diagnostic.js';
import type { KubernetesExtra, RuntimeSource, Target } from '../../../generate/emit/service/target.js';
import { findDescription, findThirdParty } from './files/description.js';
import { CommandError, exitStatus } from './output/exit-status.js';
import { findIncluded } from './files/find-included.js';
import type { Format } from './output/formats.js';
import { headersOfMiddleware } from './owner/headers-of-middleware.js';
import { importsOfOwner, refuseLinkedService, serviceFolder } from './owner/own-files.js';
import { printResult } from './output/print-result.js';
import { notNoted, readLimitingHeap, type NoteFile } from './files/read-text.js';
import { severitiesOf, type SeverityOptions } from './severity-options.js';
import { emptyMigrations, findDatabases, schemasOf, type SchemaOptions } from './files/find-schemas.js';
import type { Terminal } from './output/terminal.js';
import { UncheckedDatabases } from './databases/unchecked-databases.js';

export interface CompilationOptions extends SchemaOptions, SeverityOptions {
  readonly format: Format;
  readonly quiet?: boolean;
  readonly maxWarnings?: number;
  /** The API description; by default the one next to the configuration. */
  readonly openapi?: string;
  /** Deployment target of the service. */
  readonly target?: Target;
  readonly extras?: readonly KubernetesExtra[];
  readonly runtimeSource?: RuntimeSource;
  /** Name of the service. */
  readonly name?: string;
  /** The folder of the service, with user files; `service` next to the configuration by default. */
  readonly out?: string;
}

const defaultPaths = ['config.yaml', '/app/config.yaml'];

/** The outcome of a command: the compilation's result, the configuration's path as entered by the user, and whether to continue. */
export type Outcome<T> = T & {
  readonly path: string;
  readonly status: number;
  /** A line about databases that were not queried; undefined if there is nothing to print. */
  readonly unchecked: string | undefined;
};

/** Processes the input that was read. */
export type Run<T> = (input: Input, databases: Databases) => T | Promise<T>;

/**
 * Reads the configuration, compiles it and prints all diagnostics in text format; in other formats, each command prints them itself. `note`
 * receives the absolute path of each file before it is read or searched for.
 */
export async function runCompilation<T extends { readonly diagnostics: readonly Diagnostic[] }>(
  path: string | undefined,
  options: CompilationOptions,
  terminal: Terminal,
  run: Run<T>,
  note: NoteFile = notNoted,
): Promise<Outcome<T>> {
  const severities = severitiesOf(options);
  const found = findConfig(path, terminal.folder, note);
  const absolute = resolve(terminal.folder, found);
  note(absolute);
  terminal.stage?.(`Checking ${found}`);
  const place = { config: absolute, folder: terminal.folder, note };
  const description = findDescription(options.openapi, place);
  const unchecked = new UncheckedDatabases(
    findDatabases(options, { ...place, note: notNoted, read: () => '' }),
    options.schema === undefined || options.schema === false ? emptyMigrations(place) : undefined,
  );
  refuseLinkedService(options.out, place);
  const service = serviceFolder(options.out, place);
  const read = readLimitingHeap();
  const compilation = await run(
    {
      config: { path: found, text: read(absolute, found) },
      include: findIncluded({ ...place, read }),
      ...(description && { description }),
      ownHeaders: headersOfMiddleware(service, place),
      thirdParty: findThirdParty(place),
      ...importsOfOwner(service, note),
      ...(options.target && { target: options.target }),
      ...(options.extras && { extras: options.extras }),
      ...(options.runtimeSource && { runtimeSource: options.runtimeSource }),
      ...(options.name !== undefined && { name: options.name }),
      severities,
    },
    unchecked.noting(schemasOf(options, place, terminal.stage)),
  );
  const { diagnostics } = compilation;
  reportDiagnostics(compilation, options, terminal);
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning').length;
  const hasErrors = warnings < diagnostics.length;
  const tooMany = options.maxWarnings !== undefined && warnings > options.maxWarnings;
  if (tooMany && !hasErrors)
    terminal.log(screen`There are ${warnings} warnings; at most ${options.maxWarnings ?? 0} are allowed.`);
  return {
    ...compilation,
    path: found,
    status: hasErrors || tooMany ? exitStatus.errors : exitStatus.fine,
    unchecked: hasErrors || options.schema === false ? undefined : unchecked.note,
  };
}

/** The default configuration; undefined if there is none. */
export function defaultConfig(folder: string, note: NoteFile = notNoted): string | undefined {
  return defaultPaths.find((candidate) => {
    note(resolve(folder, candidate));
    return existsSync(resolve(folder, candidate));
  });
}

/** Maximum number of diagnostics printed as text: a generated file may repeat the same one a hundred thousand times. */
const maxReported = 1000;

/** Prints the diagnostics as text, followed by a count. */
export function reportDiagnostics(
  { diagnostics }: { readonly diagnostics: readonly Diagnostic[] },
  options: CompilationOptions,
  terminal: Terminal,
): void {
  if (options.format !== 'text') return;
  const shownDiagnostics = shown(diagnostics, options);
  for (const diagnostic of shownDiagnostics.slice(0, maxReported))
    terminal.log(screen`${printText(diagnostic, terminal.colours)}\n`);
  if (shownDiagnostics.length > maxReported)
    terminal.log(
      screen`${shownDiagnostics.length - maxReported} more are not shown here; --format json has all of them.\n`,
    );
  if (shownDiagnostics.length > 0) terminal.log(screen.text(summary(shownDiagnostics)));
}

/** Prints a text line about databases that were not queried; `unchecked` comes from the compilation's outcome. */
export function reportUnchecked(
  unchecked: string | undefined,
  { format, quiet }: Pick<CompilationOptions, 'format' | 'quiet'>,
  terminal: Terminal,
): void {
  if (unchecked !== undefined && format === 'text' && quiet !== true) terminal.log(screen.text(unchecked));
}

/** Prints the diagnostics as a single machine-readable document; in JSON, `more` is added. Prints nothing in text format. */
export function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  options: CompilationOptions,
  terminal: Terminal,
  more: object = {},
): void {
  printResult(options.format, shown(diagnostics, options), terminal, more);
}

function shown(diagnostics: readonly Diagnostic[], { quiet }: CompilationOptions): readonly Diagnostic[] {
  return quiet === true ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics;
}

/** The configuration's path as displayed to the user. Throws a CommandError. */
export function findConfig(path: string | undefined, folder: string, note: NoteFile = notNoted): string {
  const found = path ?? defaultConfig(folder, note);
  if (found !== undefined) return found;
  throw new CommandError(
    exitStatus.environment,
    `There is no ${defaultPaths.join(' and no ')}. Name the configuration as the argument [config].`,
  );
}
