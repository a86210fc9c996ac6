/** `node dist/main.js run <operation>`: runs a timed operation once, for schedulers such as a Kubernetes CronJob. */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError } from '../server/log.js';
import type { ScheduleHost } from '../server/contracts.js';
import { onStopRequest } from '../server/stop-process.js';
import { closeAll } from '../server/stop.js';

/** The host of the timers of a service. */
export interface TimerHost extends ScheduleHost {
  /** Finishes work that a run has started in the background, within a time limit. Never fails. */
  readonly settled?: () => Promise<void>;
}

/** The operation on the command line. If it does not exist, prints one sentence and ends the process with status 2. */
export function operationToRun(args: readonly string[], known: readonly string[]): string {
  const [operation, ...rest] = args;
  if (operation !== undefined && rest.length === 0 && known.includes(operation)) return operation;

  const problem =
    operation === undefined
      ? 'Which operation is to run?'
      : rest.length > 0
        ? 'One operation runs at a time; put a name with spaces into quotes.'
        : `There is no timed operation ${JSON.stringify(operation)}.`;
  const names = known.map((name) => JSON.stringify(name)).join(', ');
  process.stderr.write(`${problem} This service has ${names}\n`);
  process.exit(2);
}

/**
 * Runs the operation and ends the process, with status 0, or 1 after an error or exception. After SIGTERM or SIGINT, the operation has
 * SHUTDOWN_TIMEOUT to finish; then it counts as failed.
 */
export async function runOnce(
  operation: string,
  run: () => Promise<boolean>,
  { settings, datasources, log, settled }: Pick<TimerHost, 'settings' | 'datasources' | 'log' | 'settled'>,
): Promise<void> {
  const cutOff = new Promise<boolean>((resolve) => {
    let stopping = false;
    const stop = () => {
      if (stopping) process.exit(1);
      stopping = true;
      for (const datasource of datasources) datasource.stop?.();
      void delay(settings.shutdownTimeout).then(() => {
        log.warn({ operation }, 'SHUTDOWN_TIMEOUT is over: the timed operation is cut off');
        resolve(false);
      });
    };
    onStopRequest(stop);
    process.on('uncaughtException', (error) => {
      log.fatal({ error: describeError(error) }, 'unexpected error, the timed operation is cut off');
      resolve(false);
    });
  });
  const succeeded = await Promise.race([run(), cutOff]);
  await settled?.();
  await closeAll(datasources, log);
  process.exit(succeeded ? 0 : 1);
}
