/** The initial data of database servers: created once in a run, which takes seconds of processor time, and copied for all other servers. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The variable with the folder of the run's initial data; without it, each server creates its own. */
export const keptData = 'KEPT_SERVER_DATA';

/** Fills the folder `data`, which must not exist. Calls with the same `name` share the result. */
export async function fillData(name: string, data: string, make: () => Promise<unknown>): Promise<void> {
  const folder = process.env[keptData];
  const kept = folder === undefined ? undefined : join(folder, name);
  if (kept !== undefined && existsSync(kept)) return copy(kept, data);
  await make();
  if (kept !== undefined) await keep(data, kept);
}

/** Atomic: another server may look for the data at the same time, or have created it. */
async function keep(data: string, kept: string): Promise<void> {
  mkdirSync(join(kept, '..'), { recursive: true });
  const own = `${kept}-${randomUUID()}`;
  await copy(data, own);
  await rename(own, kept).catch(() => rm(own, { recursive: true }));
}

/** Preserves owners and sparse files. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-Rp', from, to]);
}
