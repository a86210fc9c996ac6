/** Signals while a service is being compiled and started: none is lost before the service listens to them itself. */

/**
 * From now on SIGTERM and SIGINT end the process with status 0, as long as nobody else listens to them. Our listener stays:
 * a signal that came while the compiler was busy is delivered afterwards, and is lost when there is no listener in between. As the
 * first process of a container we would not even hear a signal that nobody listens to.
 */
export function leaveOnSignals(process: NodeJS.Process): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });
  }
}
