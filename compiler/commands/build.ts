/** `apikiln build`: writes the service, or with --check tells what a build would change. */
import { resolve } from 'node:path';
import type { GeneratedFile } from '../emit/file.js';
import { compareWithFolder, writeFiles, type Outlook } from '../write.js';
import { CommandError, exitStatus } from './exit-status.js';
import { reason, runCompilation, type CompilationOptions } from './run-compilation.js';
import type { Terminal } from './terminal.js';

export interface BuildOptions extends CompilationOptions {
  readonly out: string;
  readonly check?: boolean;
  readonly force?: boolean;
}

export async function build(
  path: string | undefined,
  options: BuildOptions,
  terminal: Terminal,
): Promise<number> {
  const { files, status } = await runCompilation(path, options, terminal);
  if (status !== exitStatus.fine || files === undefined) return status;
  const tell = (text: string): void => {
    if (options.quiet !== true) terminal.tell(text);
  };
  try {
    const outlook = compareWithFolder(resolve(terminal.folder, options.out), files);
    if (options.check === true) return tellDrift(outlook, options, terminal);
    if (outlook.conflicts.length > 0 && options.force !== true) return refuse(outlook, options, terminal);
    write(files, outlook, options, terminal, tell);
    return exitStatus.fine;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new CommandError(exitStatus.environment, `${options.out} cannot be written: ${reason(error)}.`);
  }
}

function write(
  files: readonly GeneratedFile[],
  outlook: Outlook,
  { out }: BuildOptions,
  terminal: Terminal,
  tell: (text: string) => void,
): void {
  const { changes, secrets } = writeFiles(resolve(terminal.folder, out), files, outlook);
  const count = (kind: string): number => changes.filter((change) => change.kind === kind).length;
  const parts = (['added', 'changed', 'removed'] as const).flatMap((kind) =>
    count(kind) === 0 ? [] : [`${count(kind)} ${kind}`],
  );
  tell(`${out}: ${parts.length === 0 ? 'nothing to change' : parts.join(', ')} (${files.length} files)`);
  if (secrets === 'kept')
    tell(`${out}/.env was edited by hand, so it is left as it is; compare it with .env.example.`);
  if (outlook.kept.length > 0) tell(`Left alone, because no build wrote them: ${list(outlook.kept)}`);
}

function tellDrift({ changes, conflicts }: Outlook, { out }: BuildOptions, terminal: Terminal): number {
  if (changes.length === 0 && conflicts.length === 0) return exitStatus.fine;
  const edited = new Set(conflicts.map(({ path }) => path));
  for (const { path, kind } of changes)
    terminal.print(`${kind} ${path}${edited.has(path) ? ' (not as a build wrote it)' : ''}`);
  const removed = conflicts.filter(({ path }) => !changes.some((change) => change.path === path));
  for (const { path } of removed) terminal.print(`superfluous ${path} (not as a build wrote it)`);
  terminal.tell(`${out} is not what the configuration gives. Build it again.`);
  return exitStatus.drift;
}

function refuse({ conflicts }: Outlook, { out }: BuildOptions, terminal: Terminal): number {
  terminal.tell(`Nothing is written, because in ${out} these files would be lost:`);
  for (const { path, reason: why } of conflicts) {
    terminal.tell(
      `  ${path} (${why === 'foreign' ? 'no build wrote it' : 'edited after the build wrote it'})`,
    );
  }
  terminal.tell('Move them away, choose another folder, or write over them with --force.');
  return exitStatus.errors;
}

function list(paths: readonly string[]): string {
  const shown = paths.slice(0, 10).join(', ');
  return paths.length > 10 ? `${shown} and ${paths.length - 10} more` : shown;
}
