/** Runs work until a signal ends it. */
import type { EventEmitter } from 'node:events';
import { stopMessage, stopSignals } from '../../../../runtime/server/stop-process.js';

/**
 * Runs the work; `stop` aborts on the first signal, or on the message of a parent process on Windows. A second signal, or a signal after the
 * work, ends the process immediately, as by default.
 */
export async function stoppedBySignal<Result>(
  process: EventEmitter,
  work: (stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const leave = (): void => {
    for (const signal of stopSignals) process.off(signal, stop);
    process.off('message', hear);
  };
  const hear = (message: unknown): void => {
    if (message === stopMessage) stop();
  };
  const stop = (): void => {
    leave();
    controller.abort();
  };
  for (const signal of stopSignals) process.on(signal, stop);
  process.on('message', hear);
  try {
    return await work(controller.signal);
  } finally {
    leave();
  }
}

/** False if `stop` comes first; the outcome of the work is then ignored. */
export async function endsBefore(work: Promise<void>, stop: AbortSignal): Promise<boolean> {
  const controller = new AbortController();
  const stopped = new Promise<false>((resolve) => {
    const resolveFalse = (): void => {
      resolve(false);
    };
    if (stop.aborted) resolveFalse();
    stop.addEventListener('abort', resolveFalse, { signal: controller.signal });
  });
  try {
    return await Promise.race([work.then(() => true), stopped]);
  } finally {
    controller.abort();
    work.catch(() => undefined);
  }
}

/**
 * Makes SIGTERM and SIGINT end the process with status 0 while a service is compiled and started, unless another listener handles them. The
 * listener must stay: signals that arrive while the compiler is busy are delivered afterwards and would be lost without a listener. The
 * first process of a container does not even receive signals without a listener.
 */
export function leaveOnSignals(process: NodeJS.Process): void {
  for (const signal of stopSignals) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });
  }
}
