/** `node dist/main.js run <operation>`: one run of a timed operation, for those who keep the time themselves (decisions 10.4). */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from './describe-error.js';
import type { Log } from './log.js';
import type { Service } from './contracts.js';
import type { Settings } from './settings.js';
import { closeAll } from './stop.js';

/**
 * The operation that the command line names; undefined when it asks for the service. When there is no such operation, says
 * so in one sentence and ends the process with status 2.
 */
export function operationToRun(args: readonly string[], known: readonly string[]): string | undefined {
  const [command, operation, ...rest] = args;
  if (command !== 'run') return undefined;
  if (operation !== undefined && rest.length === 0 && known.includes(operation)) return operation;

  const problem =
    operation === undefined
      ? 'Which operation is to run?'
      : rest.length > 0
        ? 'One operation runs at a time; put a name with spaces into quotes.'
        : `There is no timed operation ${JSON.stringify(operation)}.`;
  const names = known.map((name) => JSON.stringify(name)).join(', ');
  process.stderr.write(
    `${problem} ${names === '' ? 'This service has none' : `This service has ${names}`}\n`,
  );
  process.exit(2);
}

/**
 * Runs the operation and ends the process: status 0, or 1 when it failed or an exception fired. SIGTERM and SIGINT leave it
 * SHUTDOWN_TIMEOUT to finish; what is cut off has failed.
 */
export async function runOnce(
  operation: string,
  { datasources = [], schedule }: Service,
  { settings, log }: { readonly settings: Pick<Settings, 'shutdownTimeout'>; readonly log: Log },
): Promise<void> {
  const cutOff = new Promise<boolean>((resolve) => {
    let stopping = false;
    const stop = () => {
      if (stopping) process.exit(1);
      stopping = true;
      void delay(settings.shutdownTimeout).then(() => {
        log.warn({ operation }, 'SHUTDOWN_TIMEOUT is over: the timed operation is cut off');
        resolve(false);
      });
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
    process.on('uncaughtException', (error) => {
      log.fatal({ error: describeError(error) }, 'unexpected fault, the timed operation is cut off');
      resolve(false);
    });
  });
  const succeeded = await Promise.race([schedule?.run(operation), cutOff]);
  await closeAll(datasources, log);
  process.exit(succeeded === true ? 0 : 1);
}
