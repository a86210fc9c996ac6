/** `apikiln serve`: compiles the configuration to a temporary folder and runs the service in the same process. */
import cluster from 'node:cluster';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readAssets } from '../../generate/assets.js';
import { compile } from '../../compile.js';
import { exitStatus } from './shared/output/exit-status.js';
import { refuseBrokenCode } from './shared/owner/broken-code.js';
import { findOwnFiles } from './shared/owner/own-files.js';
import { removeServeFolder, writeServeFolder } from './shared/folder/serve-folder.js';
import { packageFolder } from './shared/files/package-folder.js';
import { isPlugAndPlay, resolverArguments, resolverOf } from '../local/plug-and-play.js';
import { runCompilation, type CompilationOptions } from './shared/run-compilation.js';
import type { Terminal } from './shared/output/terminal.js';

export interface ServeOptions extends Omit<CompilationOptions, 'format'> {
  readonly port?: number;
  /** The folder of the built service, whose user files are included. */
  readonly out?: string;
}

/**
 * Returns when the service listens, or with the reason why it cannot. From then on, this process is the service: it handles signals as
 * after `npm start`, and exits with its own status. A child process would receive signals twice if they are sent to the whole process group
 * (terminals, systemd), and a second signal forces an immediate stop.
 */
export async function serve(
  path: string | undefined,
  { port, out, ...options }: ServeOptions,
  terminal: Terminal,
): Promise<number> {
  const {
    files,
    status,
    path: config,
  } = await runCompilation(
    path,
    { ...options, ...(out !== undefined && { out }), format: 'text' },
    terminal,
    (input, databases) =>
      compile({ ...input, runsHere: true }, readAssets(packageFolder()), undefined, databases),
  );
  if (status !== exitStatus.fine || files === undefined) return status;
  const { folder: current } = terminal;
  const own = findOwnFiles(out, files, { config: resolve(current, config), folder: current });
  refuseBrokenCode(own, current);
  terminal.stage?.('Starting the service');
  const folder = await writeServeFolder(files, packageFolder(), own);
  process.once('exit', () => {
    removeServeFolder(folder);
  });
  if (port !== undefined) process.env.PORT = String(port);
  process.setSourceMapsEnabled(true);
  const main = join(folder, 'dist', 'main.js');
  // With WORKERS, cluster workers run the service instead of this tool.
  const execArgv = ['--enable-source-maps', ...resolverArguments(folder)];
  cluster.setupPrimary({ exec: main, args: [], execArgv });
  terminal.stage?.(undefined);
  if (isPlugAndPlay) await import(pathToFileURL(resolverOf(folder)).href);
  await import(pathToFileURL(main).href);
  return exitStatus.fine;
}
