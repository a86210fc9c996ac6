/** Tarballs of packages, with identical bytes on every machine: they contain no times or users, and Node's compression, which varies, is not used. */
import { gzipSync } from 'fflate';
import { createTar } from 'nanotar';

/** 1985-10-26 8:15 UTC in milliseconds, the fixed time that npm uses in its own tarballs. */
export const fixedTime = 499_162_500_000;

/**
 * @param {Iterable<readonly [path: string, content: string | Uint8Array]>} files of the package, in the order of their paths
 * @param {ReadonlySet<string>} programs paths of executable files
 * @returns {Uint8Array}
 */
export function tarballOf(files, programs = new Set()) {
  const attrs = { uid: 0, gid: 0, mtime: fixedTime, user: '', group: '' };
  const entries = [...files].map(([path, data]) => {
    return { name: `package/${path}`, data, attrs: { ...attrs, mode: programs.has(path) ? '755' : '644' } };
  });
  return gzipSync(createTar(entries), { level: 9, mtime: fixedTime });
}
