/** `node:path`, as on POSIX. */
export const sep = '/';

export function normalize(path: string): string {
  const isAbsolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '..' || !isAbsolute) parts.push(part);
  }
  return `${isAbsolute ? '/' : ''}${parts.join('/')}` || '.';
}

export const join = (...parts: readonly string[]): string => normalize(parts.filter(Boolean).join('/'));
export const dirname = (path: string): string =>
  path.replace(/\/?[^/]*$/, '') || (path.startsWith('/') ? '/' : '.');
export const basename = (path: string, end = ''): string => {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return end !== '' && name.endsWith(end) ? name.slice(0, -end.length) : name;
};
export const extname = (path: string): string => /\.[^./]*$/.exec(path)?.[0] ?? '';
export const isAbsolute = (path: string): boolean => path.startsWith('/');
export const resolve = (...parts: readonly string[]): string => join('/', ...parts);
export const relative = (_from: string, to: string): string => to;
export const posix = { sep, normalize, join, dirname, basename, extname, isAbsolute, resolve, relative };
export default posix;
