/** Work that a signal ends: of commands that run until there is one. */

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
