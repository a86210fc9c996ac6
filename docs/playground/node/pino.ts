/** `pino`: the log goes to the console of the browser, problems only. */
type Log = Readonly<Record<string, unknown>>;

const quiet = (): void => undefined;

export function pino(): Log {
  const log: Record<string, unknown> = {
    ...{ level: 'warn', trace: quiet, debug: quiet, info: quiet, flush: quiet },
    warn: (...values: unknown[]) => {
      console.warn(...values);
    },
    error: (...values: unknown[]) => {
      console.error(...values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)));
    },
    fatal: (...values: unknown[]) => {
      console.error(...values);
    },
    isLevelEnabled: () => true,
    setBindings: quiet,
    bindings: () => ({}),
  };
  log['child'] = () => log;
  return log;
}

export const stdTimeFunctions = { isoTime: (): string => '' };
export const stdSerializers = {};
export const destination = (): object => ({ write: quiet });
export default Object.assign(pino, { pino, stdTimeFunctions, stdSerializers, destination });
