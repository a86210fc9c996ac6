/** `node dist/main.js outbox`: lists waiting and failed requests, and retries or drops failed requests. */
import { textOf } from '../handler/json.js';
import type { Row } from '../handler/json.js';
import { describeFailure } from '../server/log.js';
import { ServiceError } from '../handler/reply.js';
import type { OutboxStore } from './store.js';

const usage = `outbox list              requests that have failed, and those that wait
outbox retry all|<id>…   sends failed requests again
outbox drop all|<id>…    removes failed requests; by its id also one that waits
`;

/**
 * Runs the command and ends the process: status 0, 1 if the database does not respond or no request was found, 2 for an invalid command
 * line.
 */
export async function outboxCommand(
  stores: readonly OutboxStore[],
  [action, ...ids]: readonly string[],
  prepare: () => Promise<unknown>,
): Promise<void> {
  const isList = action === 'list' && ids.length === 0;
  const isChange = (action === 'retry' || action === 'drop') && ids.length > 0;
  if (!isList && !isChange) {
    process.stderr.write(usage);
    process.exit(2);
  }
  await prepare();
  try {
    process.exitCode = isList
      ? await list(stores)
      : await resolve(stores, action === 'retry' ? 'retry' : 'drop', ids);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    process.stderr.write(`The database does not respond: ${JSON.stringify(describeFailure(error))}\n`);
    process.exitCode = 1;
  }
  process.exit();
}

async function list(stores: readonly OutboxStore[]): Promise<number> {
  for (const store of stores) {
    for (const state of ['failed', 'waiting'] as const)
      for (const row of await store.list(state)) process.stdout.write(`${lineOf(row)}\n`);
  }
  return 0;
}

function lineOf(row: Row): string {
  const fields = ['id', 'state', 'datasource', 'operation', 'fulfillment', 'stored', 'attempts', 'reason'];
  // White space is replaced, so that each request is on one line.
  return fields.map((field) => textOf(row[field]).replaceAll(/\s+/g, ' ')).join('\t');
}

async function resolve(
  stores: readonly OutboxStore[],
  action: 'retry' | 'drop',
  ids: string[],
): Promise<number> {
  let count = 0;
  for (const store of stores)
    count += ids.join() === 'all' ? await store.resolveAll(action) : await store.resolve(action, ids);
  process.stdout.write(`${count} ${action === 'retry' ? 'sent again' : 'removed'}\n`);
  return count === 0 ? 1 : 0;
}
