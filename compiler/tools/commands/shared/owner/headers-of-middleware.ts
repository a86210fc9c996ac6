/** Request headers set by a service's `src/middleware.ts`, found in its syntax tree. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsIn } from '../../../typescript/module-imports.js';
import { treeOf } from '../../../typescript/module-tree.js';
import { headersSetIn } from '../../../typescript/set-headers.js';
import { isBelow, realPath } from '../files/file-inside.js';
import { notNoted, readText, type Place } from '../files/read-text.js';
import { isGenerated } from './own-files.js';

/** Lowercase header names, including those set in imported files. `folder` is the service's folder. Empty if there is no middleware. */
export function headersOfMiddleware(
  folder: string,
  { note = notNoted, read = readText }: Pick<Place, 'note' | 'read'>,
): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<string>();
  const look = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    note(path);
    // Links and imports that lead out of the service's folder are not its user code.
    if (!existsSync(path) || !isBelow(realPath(path), realPath(folder))) return;
    const text = read(path, path);
    if (isGenerated(text)) return;
    const module = treeOf({ path, text });
    for (const name of headersSetIn(module)) names.add(name.toLowerCase());
    for (const { specifier } of importsIn(module))
      if (/^\..*\.js$/.test(specifier)) look(join(dirname(path), specifier.replace(/js$/, 'ts')));
  };
  look(join(folder, 'src', 'middleware.ts'));
  return names;
}
