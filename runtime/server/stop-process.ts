/** Asks another process to stop gracefully, also on Windows, where SIGTERM ends a process immediately. */
import type { ChildProcess } from 'node:child_process';

/** The message that stops a process, for parents that cannot send a signal; PM2 uses the same one. */
export const stopMessage = 'shutdown';

/** The signals that stop a process. Windows only knows SIGINT (Ctrl-C) and SIGBREAK (Ctrl-Break). */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGBREAK'] as const;

/** Asks a child process to stop. A process without a channel for messages ends immediately on Windows. */
export function askToStop(
  child: Pick<ChildProcess, 'connected' | 'kill' | 'send'>,
  platform: NodeJS.Platform = process.platform,
): void {
  if (platform === 'win32' && child.connected) child.send(stopMessage, () => undefined);
  else child.kill('SIGTERM');
}

/** Calls the listener each time this process is asked to stop. */
export function onStopRequest(listener: () => void): void {
  for (const signal of stopSignals) process.on(signal, listener);
  process.on('message', (message) => {
    if (message === stopMessage) listener();
  });
}
