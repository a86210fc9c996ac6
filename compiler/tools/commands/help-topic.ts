/** `apikiln help <topic>`: pages of the documentation, by name or by a word that they contain. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { packageFolder } from './shared/files/package-folder.js';

/** Folders in `docs`. If two pages have the same name, the first one is used. */
const folders = ['.', 'reference', 'recipes', 'reference/commands', 'reference/codes'];

/** Paths of all pages relative to `docs`, without extension: `guide`, `reference/expressions`. */
function pages(): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(packageFolder(), 'docs', folder))
      .filter((name) => name.endsWith('.md') && name !== 'README.md')
      .map((name) => posix.join(folder, name.slice(0, -'.md'.length)))
      .sort(),
  );
}

function read(page: string): string {
  return readFileSync(join(packageFolder(), 'docs', `${page}.md`), 'utf8');
}

/** Page names accepted by `help`; pages about commands and codes are printed in other ways. */
export function topics(): string[] {
  const names = pages()
    .filter((page) => !/\/(?:commands|codes)\//.test(page))
    .map((page) => page.split('/').at(-1) ?? page);
  return [...new Set(names)];
}

/** The page with this name, or a list of the pages that contain the string, or else all of its words; undefined if there are none. */
export function helpOfTopic(topic: string): string | undefined {
  const name = topic.toLowerCase();
  if (name === 'topics') return read('README');
  const page = pages().find((one) => one === name || one.endsWith(`/${name}`));
  if (page !== undefined) return read(page);
  const exact = pagesWith([name]);
  // `vscode` is VS Code in the documents.
  const found = exact.length === 0 && !name.includes(' ') ? pagesWith([name], joined) : exact;
  if (found.length > 0)
    return `There is no page '${topic}'. These pages have the word:\n\n${found.join('\n')}`;
  const words = name.split(/\s+/).filter((word) => word !== '');
  const near = words.length < 2 ? [] : pagesWith(words);
  return near.length === 0
    ? undefined
    : `No page has '${topic}'. These pages have a line with its words:\n\n${near.join('\n')}`;
}

/** Without the spaces and hyphens inside names. */
function joined(text: string): string {
  return text.replaceAll(/[ -]/g, '');
}

/** The pages with a line that has all these words, each with that line. `written`: how lines are compared. */
function pagesWith(words: readonly string[], written = (text: string): string => text): string[] {
  return pages().flatMap((one) => {
    const line = read(one)
      .split('\n')
      .find(
        (text) =>
          words.every((word) => written(text.toLowerCase()).includes(word)) && !text.startsWith('```'),
      );
    return line === undefined ? [] : [`  apikiln help ${one}\n      ${shortened(line, words[0] ?? '')}`];
  });
}

/** The message if no page contains the word; `near` is the most similar topic. */
export function unknownTopic(topic: string, near: string | undefined): string {
  return `error: no page of the documents has '${topic}'\n${near === undefined ? '' : `(Did you mean ${near}?)\n`}apikiln help topics lists the pages.`;
}

const lineWidth = 90;

/** The part of a long line that contains the word. */
function shortened(line: string, word: string): string {
  const text = line.trim();
  const from = Math.max(0, text.toLowerCase().indexOf(word) - lineWidth / 2);
  const part = text.slice(from, from + lineWidth);
  return `${from > 0 ? '…' : ''}${part}${from + lineWidth < text.length ? '…' : ''}`;
}
