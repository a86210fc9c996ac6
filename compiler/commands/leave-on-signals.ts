/** Signals while a service is being compiled and started: none is lost before the service listens to them itself. */

/**
 * From now on SIGTERM and SIGINT end the process with status 0, unless another listener handles them. Our listener stays: a signal that
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
