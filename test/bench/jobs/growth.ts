/** What must not grow faster than the work: commands with their configuration, a service with its operations and rows, an outbox with what waits. */
import type { Bench, Job } from '../bench.js';
import type { Row } from '../row.js';
import { outboxRows } from './growth-outbox.js';
import { serviceRows } from './growth-service.js';
import { toolRows } from './growth-tool.js';

export const growth: Job = { name: 'growth', run };

async function run(bench: Bench): Promise<Row[]> {
  return [...(await toolRows(bench)), ...(await serviceRows(bench)), ...(await outboxRows(bench))];
}
