/**
 * `npm run release:notes -- v0.1.0`: prints the section of CHANGELOG.md for the version of a tag. Fails unless all packages have this
 * version, the names of .github/PUBLISHING.md are filled in, and the section has a text.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, root, stop } from './prepare.mjs';

const tag = process.argv[2] ?? '';
for (const path of ['package.json', 'runtime/package.json', 'compiler/tools/create/package.json']) {
  const { version, repository } = readJson(join(root, path));
  if (tag !== `v${version}`) stop(`The tag is ${tag}, and ${path} has the version ${version}.`);
  if (repository.url.includes('/OWNER/')) stop(`${path} names no owner: see .github/PUBLISHING.md.`);
}
// npm would offer it to everybody as the latest version.
if (!/^v\d+\.\d+\.\d+$/.test(tag)) stop(`${tag} is a pre-release, which the workflow cannot publish.`);
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
const [, ...sections] = changelog.split(/^## /m);
const section = sections.find((text) => /^\S*/.exec(text)?.[0] === tag.slice(1));
const notes = section?.replace(/^.*(?:\n|$)/, '').trim();
if (!notes) stop(`CHANGELOG.md has no text for ${tag.slice(1)}.`);
console.log(notes);
