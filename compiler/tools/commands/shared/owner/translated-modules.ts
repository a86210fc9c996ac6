/**
 * Modules of services as JavaScript. The runtime takes most of the time and is the same in each run: it is cached in the user's cache
 * folder.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DiskCache, nameFor } from '../../../../analyze/database/disk-cache.js';
import type { GeneratedFile } from '../../../../generate/emit/module/file.js';
import { compilerVersion, transpile } from '../../../../generate/emit/module/transpile.js';

/** A module as JavaScript, or its source map. */
export interface TranslatedFile {
  readonly path: string;
  readonly text: string;
}

/** The modules among the files, each with its source map, unless `withMaps` is false. */
export async function translate(files: readonly GeneratedFile[], withMaps = true): Promise<TranslatedFile[]> {
  const done: TranslatedFile[] = [];
  for (const file of files) {
    done.push(...transpile([file], withMaps));
    // Signals are heard between two of them.
    await nextTurn();
  }
  return done;
}

/** Translates the modules of a runtime, or takes them from the cache that earlier runs have left: services have many modules in common. */
export async function translateRuntime(files: readonly GeneratedFile[]): Promise<TranslatedFile[]> {
  const store = DiskCache.ofUser('runtime', process.env);
  const done: TranslatedFile[] = [];
  for (const file of files)
    if (file.path.endsWith('.ts')) done.push(...(await keptOrTranslated(file, store)));
  return done;
}

async function keptOrTranslated(file: GeneratedFile, store: DiskCache): Promise<TranslatedFile[]> {
  const name = nameFor(compilerVersion, file.path, file.text);
  const kept = store.read(name)?.toString('utf8');
  if (kept !== undefined) {
    try {
      return JSON.parse(kept) as TranslatedFile[];
    } catch {
      store.remove(name);
    }
  }
  const now = await translate([file]);
  store.write(name, JSON.stringify(now));
  return now;
}
