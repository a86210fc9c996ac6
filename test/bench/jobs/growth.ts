/**
 * Costs that must not grow faster than the work: commands with their configuration, a service with its operations and rows, and an outbox
 * with waiting requests.
 */
import type { Job } from '../bench.js';
import { outboxRows } from './growth-outbox.js';
import { serviceRows } from './growth-service.js';
import { toolRows } from './growth-tool.js';

/** Separate jobs, because the rows of the first are ready an hour before those of the last. */
export const growth: readonly Job[] = [toolRows, serviceRows, outboxRows].map((run) => ({
  name: 'growth',
  run,
}));
