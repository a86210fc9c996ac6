/** Work that a signal ends: of commands that run until there is one. */
import type { EventEmitter } from 'node:events';

/**
 * Does the work; `stop` aborts at the first SIGINT or SIGTERM. The second one ends the process immediately, as by default, and so does one
 * after the work.
 */
export async function stoppedBySignal<Result>(
  process: EventEmitter,
  work: (stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const leave = (): void => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  };
  const stop = (): void => {
    leave();
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } finally {
    leave();
  }
}

/** False if `stop` is first; the outcome of the work does not matter then. */
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
 * While a service is being compiled and started, no signal is lost. From now on SIGTERM and SIGINT end the process with status 0, unless another listener handles them. Our listener stays: a signal that
 * arrives while the compiler is busy is delivered afterwards, and would be lost without a listener. As the first process of a container we
 * would not even receive a signal without a listener.
 */
export function leaveOnSignals(process: NodeJS.Process): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });
  }
}
