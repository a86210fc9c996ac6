/** `apikiln dev`: runs the service and replaces it whenever a file changes. */
import { joined } from '../../../notation/written.js';
import { screen } from '../../../notation/screen-writer.js';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Front } from '../../dev/front.js';
import { requestLines, runLines } from '../../dev/request-lines.js';
import { DevControl } from './dev-control.js';
import { DevSession, type DevOptions } from './dev-session.js';
import { CommandError, exitStatus } from '../shared/output/exit-status.js';
import { packageFolder } from '../shared/files/package-folder.js';
import { findConfig } from '../shared/run-compilation.js';
import type { Terminal } from '../shared/output/terminal.js';

export interface DevCommandOptions extends DevOptions {
  readonly port?: number;
  readonly open?: boolean;
}

/** Runs until `stop`, even if the configuration has errors. */
export async function dev(
  path: string | undefined,
  { port = portOf(process.env.PORT), open, ...options }: DevCommandOptions,
  terminal: Terminal,
  stop: AbortSignal,
): Promise<number> {
  const script = (name: string): string => readFileSync(join(packageFolder(), 'templates/dev', name), 'utf8');
  const front = new Front({
    overlay: script('overlay.mjs'),
    loginScript: script('login.mjs'),
    seen: (request) => {
      terminal.log(joined(requestLines(request, terminal.colours), '\n'));
    },
    ran: (run) => {
      terminal.log(joined(runLines(run, terminal.colours), '\n'));
    },
  });
  // Not all interfaces: the test page shows the SQL of a call to everyone who can reach it.
  const host = process.env.HOST ?? '127.0.0.1';
  // Checked before listening: without a configuration there are no files to watch.
  const config = findConfig(path, terminal.folder);
  const bound = await listen(front, host, port);
  const url = `http://${host === '127.0.0.1' ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${bound}`;
  const session = new DevSession(config, options, terminal, front, url);
  const control = new DevControl(
    resolve(terminal.folder, config),
    (question) => session.credentials(question),
    terminal,
  );
  try {
    return await session.run(stop, {
      begins: () => control.open(),
      started: (isRunning) => {
        terminal.log(
          isRunning
            ? screen`The service runs at ${screen.text(url)}, its test page at ${screen.text(url)}/docs-ui. Press Ctrl-C to stop.`
            : screen`The service starts at ${screen.text(url)} when the errors are fixed. Press Ctrl-C to stop.`,
        );
        if (open === true) openBrowser(`${url}/docs-ui`);
      },
    });
  } finally {
    await control.close();
    await session.end();
    await front.close();
    // A database that is still starting cannot be stopped and would keep the process alive.
    if (session.isBrokenOff) process.exit(exitStatus.fine);
  }
}

async function listen(front: Front, host: string, port: number): Promise<number> {
  try {
    return await front.listen(host, port);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no address';
    const why =
      code === 'EADDRINUSE'
        ? `The port ${port} is already in use. Stop the other program, or choose another port: apikiln dev --port ${port + 1}`
        : code === 'EACCES'
          ? `The port ${port} may not be used by this user. Choose one above 1023: apikiln dev --port 8080`
          : `${host}, port ${port}, cannot be listened on: ${code}.`;
    throw new CommandError(exitStatus.environment, why);
  }
}

function portOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,5}$/.test(text) ? Number(text) : 8080;
}

/** Failures are ignored, because a machine may not have a browser. */
function openBrowser(url: string): void {
  const [program, args]: [string, string[]] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['cmd', ['/c', 'start', '', url]]
        : ['xdg-open', [url]];
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
