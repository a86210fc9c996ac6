/** The data that a database server begins with: made once in a run, which takes seconds of the processor, and copied for all other servers. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The variable with the folder in which a run keeps them; without it, each server creates its own. */
export const keptData = 'KEPT_SERVER_DATA';

/** Fills the folder `data`, which is not there yet. `name` is of all that is made alike. */
export async function fillData(name: string, data: string, make: () => Promise<unknown>): Promise<void> {
  const folder = process.env[keptData];
  const kept = folder === undefined ? undefined : join(folder, name);
  if (kept !== undefined && existsSync(kept)) return copy(kept, data);
  await make();
  if (kept !== undefined) await keep(data, kept);
}

/** In one step: another server may look for it at the same time, or have made it. */
async function keep(data: string, kept: string): Promise<void> {
  mkdirSync(join(kept, '..'), { recursive: true });
  const own = `${kept}-${randomUUID()}`;
  await copy(data, own);
  await rename(own, kept).catch(() => rm(own, { recursive: true }));
}

/** With their owners, and holes for zeros. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-Rp', from, to]);
}
