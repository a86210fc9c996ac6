/** The only module that writes to disk. Only removes and replaces files written by earlier builds. */
import type { GeneratedFile } from '../emit/module/file.js';
import type { Change, WritePlan } from './compare.js';
import { Folder } from './folder.js';
import {
  between,
  copiedRuntime,
  hash,
  manifestOf,
  manifestPath,
  manifestText,
  packageFieldsOf,
} from './manifest.js';

export interface Written {
  /** Changes sorted by path. */
  readonly changes: readonly Change[];
  /** Whether the secrets file was edited by the user and therefore left unchanged. */
  readonly secretsKept: boolean;
}

/** Writes the files. Callers must check for conflicts first: conflicting files are replaced. */
export function writeFiles(path: string, files: readonly GeneratedFile[], plan: WritePlan): Written {
  const steps = writing(path, files, plan);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Writes the files with one disk change per step. At every step, the manifest lists all possible contents, so the next build can continue
 * after an interruption even if the configuration has changed.
 */
export function* writing(
  path: string,
  files: readonly GeneratedFile[],
  { changes, before, lastFields, here }: WritePlan,
): Generator<string, Written> {
  const folder = new Folder(path);
  const after = manifestOf(files);
  if (changes.length > 0) {
    folder.write(manifestPath, manifestText(between(before, after), lastFields));
    yield manifestPath;
  }
  const texts = new Map(here.files.map((file) => [file.path, file.text]));
  for (const change of changes) {
    const text = texts.get(change.path);
    if (change.kind === 'removed') folder.remove(change.path);
    else if (text !== undefined) folder.write(change.path, text);
    yield change.path;
  }
  if (before.has(copiedRuntime)) folder.removeBuilt('runtime');
  if (changes.length > 0) {
    folder.write(manifestPath, manifestText(after, packageFieldsOf(files)));
    yield manifestPath;
  }
  const secrets = files.flatMap((file) => (file.kind === 'secret' ? writeSecrets(folder, file) : []));
  return {
    changes: [...changes, ...secrets.filter((change) => change !== 'kept')].sort((a, b) =>
      a.path < b.path ? -1 : 1,
    ),
    secretsKept: secrets.includes('kept'),
  };
}

/** The secrets file starts with a hash of its own text: if the hash does not match, the user edited the file, and it is kept. */
function writeSecrets(folder: Folder, { path, text }: GeneratedFile): (Change | 'kept')[] {
  const marked = `${hashLine(text)}\n${text}`;
  const present = folder.look(path);
  if (present.kind === 'nothing') {
    folder.write(path, marked, 0o600);
    return [{ path, kind: 'added' }];
  }
  if (present.kind !== 'file') return ['kept'];
  if (present.text === marked) return [];
  const [first, ...others] = present.text.split('\n');
  if (first !== hashLine(others.join('\n'))) return ['kept'];
  folder.write(path, marked, 0o600);
  return [{ path, kind: 'changed' }];
}

function hashLine(text: string): string {
  return `# Written by a build (${hash(text, '.env').slice(0, 16)}); once you have edited it, it is a user file and no build changes it.`;
}
