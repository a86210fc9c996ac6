/** `apikiln build`: writes the service; with --check, prints what would change. */
import { githubCommand } from '../../notation/github-writer.js';
import { screen } from '../../notation/screen-writer.js';
import { readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { readAssets } from '../../generate/assets.js';
import { compile } from '../../compile.js';
import { emitClient } from '../../generate/emit/client/client-module.js';
import { planClient } from '../../generate/plan/client/client-plan.js';
import type { GeneratedFile } from '../../generate/emit/module/file.js';
import { isServiceName, serviceNameRule } from '../../generate/emit/service/service-name.js';
import {
  isForKubernetes,
  kubernetesExtras,
  type KubernetesExtra,
  type RuntimeSource,
  type Target,
} from '../../generate/emit/service/target.js';
import type { CompilationCache } from '../../generate/emit/compilation-cache.js';
import {
  compareWithFolder,
  writtenPaths,
  type Conflict,
  type WritePlan,
} from '../../generate/write/compare.js';
import { jsonFields } from '../../generate/write/manifest.js';
import type { OwnPackages } from '../../generate/write/own-packages.js';
import { lockPath } from '../../generate/write/folder.js';
import { writeFiles } from '../../generate/write/write.js';
import { ClientFile } from './client-file.js';
import { uncalledCode } from './shared/owner/own-files.js';
import { LockedFolder, withLock } from './shared/folder/lock-folder.js';
import { CommandError, exitStatus } from './shared/output/exit-status.js';
import { type NoteFile, reason } from './shared/files/read-text.js';
import { realPath } from './shared/files/file-inside.js';
import { packageFolder } from './shared/files/package-folder.js';
import {
  printDiagnostics,
  runCompilation,
  reportUnchecked,
  type CompilationOptions,
} from './shared/run-compilation.js';
import type { Terminal } from './shared/output/terminal.js';

export interface BuildOptions extends CompilationOptions {
  readonly out: string;
  /** Additional Kubernetes objects; by default those of the last build. */
  readonly with?: readonly KubernetesExtra[];
  /** The source of the runtime package; by default that of the last build. */
  readonly runtime?: RuntimeSource;
  /** The file of a client, as entered by the user. */
  readonly client?: string;
  readonly check?: boolean;
  readonly force?: boolean;
  readonly watch?: boolean;
}

/** State shared by consecutive builds of `--watch`. */
export interface Builds {
  readonly cache: CompilationCache;
  /** Receives the files that a build depends on. */
  readonly note: NoteFile;
  /** True for all builds after the first one. */
  readonly isRepeated: boolean;
}

export async function build(
  path: string | undefined,
  options: BuildOptions,
  terminal: Terminal,
  builds?: Builds,
): Promise<number> {
  const folder = resolve(terminal.folder, options.out);
  const last = lastPaths(folder);
  const target: Target = options.target ?? (last.some(isForKubernetes) ? 'kubernetes' : 'docker');
  const runtimeSource = options.runtime ?? runtimeSourceOf(last);
  const name = options.name ?? nameOf(folder, last);
  if (options.with !== undefined && target !== 'kubernetes')
    throw new CommandError(exitStatus.usage, '--with is for --target kubernetes.');
  const extras = options.with ?? extrasOf(last);
  if (options.name !== undefined && !isServiceName(options.name))
    throw new CommandError(
      exitStatus.usage,
      `'${options.name}' cannot be the name of a service. ${serviceNameRule}`,
    );
  const clientFile =
    options.client === undefined
      ? undefined
      : new ClientFile(options.client, { from: terminal.folder, folder });
  const {
    files,
    clientPlan,
    status,
    diagnostics,
    path: found,
    unchecked,
  } = await runCompilation(
    path,
    { ...options, target, extras, runtimeSource, ...(name !== undefined && { name }) },
    terminal,
    (input, databases) =>
      compile(
        { ...input, ...(clientFile !== undefined && { planClient }) },
        readAssets(packageFolder()),
        builds?.cache,
        databases,
      ),
    builds?.note,
  );
  const printAll = (more: object = {}): void => {
    printDiagnostics(diagnostics, options, terminal, more);
  };
  if (status !== exitStatus.fine || files === undefined) {
    printAll();
    return status;
  }
  const client = clientPlan && (await emitClient(clientPlan, readAssets(packageFolder()), builds?.cache));
  rejectOwnFolder(folder, dirname(resolve(terminal.folder, found)), options);
  const finish = (): number => {
    const plan = compareWithFolder(folder, files);
    const all = withClient(plan, clientFile, client);
    reportUncalled(uncalledCode(folder, files), options, terminal);
    if (options.check === true) {
      printAll(all);
      return reportDrift(all, options, terminal);
    }
    const inTheWay = all.conflicts.filter(
      (conflict) => conflict.reason === 'obstacle' || options.force !== true,
    );
    if (inTheWay.length > 0) {
      printAll({ conflicts: inTheWay });
      return refuse(inTheWay, options, terminal);
    }
    const ofService = write(folder, files, plan, options, terminal);
    const ofClient = clientFile && client ? writeClient(clientFile, client, options, terminal) : [];
    const changes = [...ofService, ...ofClient];
    reportReplaced(plan.here, options, terminal);
    // In watch mode, only the first build prints these reports.
    if (builds?.isRepeated !== true) {
      reportPackages(plan.here, options, terminal);
      reportUnchecked(unchecked, options, terminal);
    }
    printAll({ changes });
    return exitStatus.fine;
  };
  try {
    return options.check === true ? finish() : await withLock(folder, finish);
  } catch (error) {
    if (error instanceof LockedFolder)
      throw new CommandError(exitStatus.environment, locked(error, options.out));
    if (!(error instanceof Error && 'code' in error)) throw error;
    const verb = options.check === true ? 'read' : 'written';
    const path =
      'path' in error && typeof error.path === 'string' ? shown(error.path, folder, options) : options.out;
    throw new CommandError(exitStatus.environment, `${path} cannot be ${verb}: ${reason(error)}.`);
  }
}

type Changes = Pick<WritePlan, 'changes' | 'conflicts'>;

/** The changes of the service and of the client's file. */
function withClient(plan: WritePlan, file: ClientFile | undefined, text: string | undefined): Changes {
  const change = text === undefined ? undefined : file?.changeTo(text);
  const conflict = file?.conflict;
  return {
    changes: [...plan.changes, ...(change === undefined ? [] : [change])],
    conflicts: [...plan.conflicts, ...(conflict === undefined ? [] : [conflict])],
  };
}

function writeClient(
  file: ClientFile,
  text: string,
  { client = '', quiet }: BuildOptions,
  terminal: Terminal,
): WritePlan['changes'] {
  const change = file.changeTo(text);
  if (change !== undefined) file.write(text);
  if (quiet !== true)
    terminal.log(screen.text(`${client}: ${change === undefined ? 'nothing to change' : change.kind}`));
  return change === undefined ? [] : [change];
}

function locked({ holder }: LockedFolder, out: string): string {
  const who = holder === undefined ? '' : ` (process ${holder})`;
  return `${out} is locked by another build${who}. If no build is running, remove ${join(out, lockPath)}.`;
}

/** The path of a file in the folder, as displayed to the user. */
function shown(path: string, folder: string, { out }: BuildOptions): string {
  const inside = relative(folder, path);
  return inside === '' || inside.startsWith('..') ? out : join(out, inside);
}

/** Paths written by the last build of the folder; empty if the folder is unreadable, which is reported later. */
function lastPaths(folder: string): readonly string[] {
  try {
    return writtenPaths(folder);
  } catch {
    return [];
  }
}

/** The source of the runtime package in the last build. Earlier versions copied the runtime into the service. */
function runtimeSourceOf(paths: readonly string[]): RuntimeSource {
  const isInFolder = paths.some((path) => /^(?:vendor|(?:src\/)?runtime)\//.test(path));
  return paths.includes('package.json') && !isInFolder ? 'registry' : 'vendor';
}

/** Additional Kubernetes objects written by the last build. */
function extrasOf(paths: readonly string[]): KubernetesExtra[] {
  return kubernetesExtras.filter((extra) => paths.includes(`kubernetes/base/${extra}.yaml`));
}

/** The package.json name written by the last build or changed by the user since. */
function nameOf(folder: string, paths: readonly string[]): string | undefined {
  if (!paths.includes('package.json')) return undefined;
  try {
    const name = jsonFields(readFileSync(join(folder, 'package.json'), 'utf8'))?.['name'];
    return typeof name === 'string' && isServiceName(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/** If a service and its configuration shared a folder, their files would get mixed up. */
function rejectOwnFolder(folder: string, configFolder: string, { out }: BuildOptions): void {
  let real = folder;
  try {
    real = realPath(folder);
  } catch {
    // The folder does not exist yet, so it is not the configuration's folder.
  }
  if (real !== realPath(configFolder)) return;
  throw new CommandError(
    exitStatus.usage,
    `${out} is the folder of the configuration. The service needs a separate folder, for example --out ${out === '.' ? '' : `${out}/`}service`,
  );
}

function write(
  folder: string,
  files: readonly GeneratedFile[],
  plan: WritePlan,
  options: BuildOptions,
  terminal: Terminal,
): WritePlan['changes'] {
  const { out } = options;
  const log = (text: string): void => {
    if (options.quiet !== true) terminal.log(screen.text(text));
  };
  const { changes, secretsKept } = writeFiles(folder, files, plan);
  const parts = (['added', 'changed', 'removed'] as const).flatMap((kind) => {
    const count = changes.filter((change) => change.kind === kind).length;
    return count === 0 ? [] : [`${count} ${kind}`];
  });
  log(`${out}: ${parts.length === 0 ? 'nothing to change' : parts.join(', ')}`);
  if (secretsKept)
    log(`${out}/.env was edited by hand, so the build keeps it; compare it with .env.example.`);
  if (changes.some(({ path, kind }) => kind === 'removed' && /^(?:src\/)?runtime\//.test(path)))
    log(
      'The runtime is no longer copied into the service: it is the package @apikiln/runtime. Run npm install.',
    );
  if (plan.kept.length > 0) log(`Left alone, because no build wrote them: ${list(plan.kept)}`);
  return changes;
}

/** Only a warning: the configuration may call the function by a different name. */
function reportUncalled(paths: readonly string[], { format, quiet }: BuildOptions, terminal: Terminal): void {
  if (paths.length === 0 || format !== 'text' || quiet === true) return;
  terminal.log(
    screen`Nothing calls ${screen.text(list(paths))}: no fulfillment names the function, and no file of yours imports it.`,
  );
}

/** Maximum number of values printed individually. */
const maxReplaced = 20;

/** Values that look like a URL may contain credentials, so only their fields are printed. */
function reportReplaced({ replaced }: OwnPackages, { quiet }: BuildOptions, terminal: Terminal): void {
  if (quiet === true) return;
  const shown = (value: unknown): string => {
    const text = JSON.stringify(value);
    return text.includes('://') ? ' …' : ` ${text}`;
  };
  for (const { path, own, generated } of replaced.slice(0, maxReplaced))
    terminal.log(
      screen`Put back in package.json: ${screen.text(`${path.join('.')}${shown(own)} to${shown(generated)}`)}`,
    );
  const more = replaced.length - maxReplaced;
  if (more > 0) terminal.log(screen`and ${more} more`);
  if (replaced.some(({ path: [table] }) => table === 'scripts'))
    terminal.log(screen`Give options of Node.js in NODE_OPTIONS, and scripts of your own another name.`);
}

function reportPackages(
  { versions, isLockReplaced }: OwnPackages,
  { quiet }: BuildOptions,
  terminal: Terminal,
): void {
  const listed = (isKept: boolean): string =>
    versions
      .filter((version) => version.isKept === isKept)
      .map(({ name, own, generated }) =>
        isKept ? `${name} ${own} (tested with ${generated})` : `${name} ${own} to ${generated}`,
      )
      .join(', ');
  const [kept, replaced] = [listed(true), listed(false)];
  if (quiet === true) return;
  if (kept !== '') terminal.log(screen`Your later versions stay: ${screen.text(kept)}`);
  if (replaced !== '')
    terminal.log(
      screen`Put back, because another major version may not work with the service: ${screen.text(replaced)}`,
    );
  if (isLockReplaced)
    terminal.log(
      screen`package-lock.json is written anew, without your changes: the service needs other packages.`,
    );
}

function reportDrift({ changes, conflicts }: Changes, options: BuildOptions, terminal: Terminal): number {
  if (changes.length === 0 && conflicts.length === 0) return exitStatus.fine;
  const lines = [
    ...changes.map(({ path, kind }) => {
      const conflict = conflicts.find((other) => other.path === path);
      return `${kind} ${path}${conflict === undefined ? '' : ` (${reasons[conflict.reason]})`}`;
    }),
    ...conflicts
      .filter(({ path }) => !changes.some((change) => change.path === path))
      .map((conflict) => `in the way ${conflict.path} (${reasons[conflict.reason]})`),
  ];
  if (options.format === 'text') for (const line of lines) terminal.print(screen.text(line));
  if (options.format === 'github') annotateDrift({ changes, conflicts }, options, terminal);
  terminal.log(screen`${screen.text(options.out)} differs from the output of a build. Build it again.`);
  return exitStatus.drift;
}

/** Maximum number of annotations that GitHub shows of a step. */
const maxAnnotated = 10;

function annotateDrift({ changes, conflicts }: Changes, { out }: BuildOptions, terminal: Terminal): void {
  const texts = new Map(changes.map(({ path, kind }) => [path, driftTexts[kind]]));
  for (const { path, reason: why } of conflicts)
    texts.set(path, `${texts.get(path) ?? 'The file is in the way of a build'} (${reasons[why]})`);
  const all = [...texts];
  const listed = all.length > maxAnnotated ? all.slice(0, maxAnnotated - 1) : all;
  for (const [path, text] of listed) {
    const file = posix.join(out.split(sep).join('/'), path);
    terminal.command(githubCommand('error', { file, title: 'drift' }, `${text}. Build the service again.`));
  }
  const more = all.length - listed.length;
  if (more > 0)
    terminal.command(
      githubCommand('error', { title: 'drift' }, `${more} more files differ from the output of a build.`),
    );
}

const driftTexts: Readonly<Record<WritePlan['changes'][number]['kind'], string>> = {
  added: 'The file is missing: a build would add it',
  changed: 'The file differs from the output of a build',
  removed: 'A build would remove the file',
};

const reasons: Readonly<Record<Conflict['reason'], string>> = {
  foreign: 'no build wrote it',
  edited: 'edited after the build wrote it',
  damaged: 'not JSON, so your packages in it would be lost: correct it',
  obstacle: 'a folder or a link is in the way',
};

function refuse(conflicts: readonly Conflict[], { out }: BuildOptions, terminal: Terminal): number {
  terminal.log(screen`Nothing is written, because in ${screen.text(out)} these files are in the way:`);
  const maxListed = 20;
  for (const conflict of conflicts.slice(0, maxListed))
    terminal.log(screen`  ${screen.text(conflict.path)} (${screen.text(reasons[conflict.reason])})`);
  if (conflicts.length > maxListed) terminal.log(screen`  and ${conflicts.length - maxListed} more`);
  const canForce = conflicts.every((conflict) => conflict.reason !== 'obstacle');
  terminal.log(
    canForce
      ? screen`Move them away, choose another folder, or write over them with --force.`
      : screen`Move them away, or choose another folder.`,
  );
  return exitStatus.errors;
}

function list(paths: readonly string[]): string {
  const shown = paths.slice(0, 10).join(', ');
  return paths.length > 10 ? `${shown} and ${paths.length - 10} more` : shown;
}
