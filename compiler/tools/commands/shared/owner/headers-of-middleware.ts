/** The headers that `src/middleware.ts` of a service sets on requests, read from its text. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isBelow } from '../files/file-inside.js';
import { notNoted, readText, type Place } from '../files/read-text.js';

/** Names in small letters, also of the files that it imports. `folder` is that of the service; none if it has no such file. */
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
    // Links and imports that lead out of the service are not the user code of it.
    if (!existsSync(path) || !isBelow(realpathSync(path), realpathSync(folder))) return;
    const text = read(path, path).replaceAll(comment, '');
    for (const name of namesIn(text)) names.add(name.toLowerCase());
    for (const [, module = ''] of text.matchAll(relativeImport))
      look(join(dirname(path), module.replace(/\.js$/, '.ts')));
  };
  look(join(folder, 'src', 'middleware.ts'));
  return names;
}

const comment = /^[ \t]*(?:\/\/|\/?\*).*$/gm;
const relativeImport = /\bfrom\s*['"](\.[^'"]*)['"]/g;

/** `….headers.user = `, `….headers['x-user'] = `, `….headers[userHeader] = ` with a constant of the file, and fields of objects. */
function* namesIn(text: string): Generator<string> {
  const isOfResponse = (before: string): boolean => /\bres(?:ponse)?\.$/.test(before);
  for (const found of text.matchAll(
    /\bheaders(?:\.(\w+)|\[\s*(?:(['"`])([^'"`\n]+)\2|(\w+))\s*\])\s*(?:\?\?|\|\|)?=(?![=>])/g,
  )) {
    const [, property, , quoted, constant] = found;
    if (isOfResponse(text.slice(0, found.index))) continue;
    const name = property ?? quoted ?? constantOf(text, constant ?? '');
    if (name !== undefined) yield name;
  }
  for (const [, fields = ''] of text.matchAll(fieldsOfHeaders))
    for (const [, quoted, plain] of fields.matchAll(/(?:^|,)\s*(?:['"]([^'"]+)['"]|(\w+))\s*(?=[:,]|$)/g)) {
      const name = quoted ?? plain;
      if (name !== undefined) yield name;
    }
}

/** The text between the braces of `Object.assign(….headers, { … })` and `….headers = { ….headers, … }`. */
const fieldsOfHeaders = /(?:Object\.assign\(\s*[\w.]*\bheaders\s*,|\w\.headers\s*=)\s*\{([^}]*)\}/g;

function constantOf(text: string, name: string): string | undefined {
  return new RegExp(`\\bconst ${name}(?:: string)? = ['"]([^'"]+)['"]`).exec(text)?.[1];
}
