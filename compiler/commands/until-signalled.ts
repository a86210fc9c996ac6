/** Commands that run until a signal ends them. */

/** Aborts at the first SIGINT or SIGTERM; the second one ends the process at once, as it would without us. */
export function untilSignalled(process: NodeJS.Process): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return controller.signal;
}
