/** Links of the documents point to existing files and headings, and the commands shown exist. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommandLine } from '../../compiler/tools/commands/command-line.js';
import { terminalOf } from '../../compiler/tools/commands/shared/output/terminal.js';
import { repository } from '../helpers/service-fixture.js';
import { pagesBelow, readDocument } from './code-blocks.js';

const documents = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['compiler/BY-HAND.md', 'test/ARRANGEMENT.md', 'test/README.md', 'test/bench/README.md'],
  ...pagesBelow('docs'),
];

function textOf(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}

/** The anchors of a document: those that GitHub generates from headings, and those in HTML. */
function anchorsOf(path: string): Set<string> {
  const prose = textOf(path).replaceAll(/^```.*?^```/gms, '');
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]);
}

/** Links of a document, excluding its examples. */
function linksOf(path: string): string[] {
  const prose = textOf(path).replaceAll(/^```.*?^```/gms, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map(
    ([, link, source]) => link ?? source ?? '',
  );
}

test('the index of docs links to every page, also through another index', () => {
  const reached = new Set(['docs/README.md']);
  for (const page of reached)
    for (const link of linksOf(page)) {
      const target = join(dirname(page), link.split('#')[0] ?? '');
      if (target.startsWith('docs/') && target.endsWith('.md')) reached.add(target);
    }
  expect(pagesBelow('docs').filter((page) => !reached.has(page))).toEqual([]);
});

test.each(pagesBelow('docs'))('%s is a page that people read: below 25 kB', (path) => {
  expect(statSync(join(repository, path)).size).toBeLessThan(25_000);
});

describe.each(documents)('%s', (path) => {
  test('has links that lead somewhere', () => {
    const broken = linksOf(path).filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(repository, target))) return true;
      // Another test compares codes of explanations with the code.
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  test.runIf(path.startsWith('docs/') || path === 'CHANGELOG.md')(
    'links only to files of the package',
    () => {
      const outside = linksOf(path).filter((link) => {
        // Images are only for readers of the pages in the repository.
        if (/^https?:|^#|\.png$/.test(link)) return false;
        const [folder = ''] = join(dirname(path), link).split(/[/#]/);
        return !['docs', 'templates', 'runtime', 'CHANGELOG.md', 'README.md'].includes(folder);
      });
      expect(outside).toEqual([]);
    },
  );

  test('shows commands and options that exist', async () => {
    const lines = readDocument(path)
      .blocks.filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => text.split('\n'));
    const wrong: string[] = [];
    for (const line of lines) {
      const [, command, rest = ''] = /^npx apikiln ([a-z]+)(.*)$/.exec(line.replace(/ +#.*$/, '')) ?? [];
      if (command === undefined) continue;
      const help = await helpOf(command);
      const options = [...rest.matchAll(/--[a-z-]+/g)].map(([option]) => option);
      if (help === '' || options.some((option) => !help.includes(option))) wrong.push(line);
    }
    expect(wrong).toEqual([]);
  });
});

/** Empty if the command does not exist. */
async function helpOf(command: string): Promise<string> {
  let printed = '';
  const terminal = { ...terminalOf(process), print: (text: string) => (printed += text) };
  await runCommandLine([command, '--help'], { ...terminal, log: () => undefined });
  return printed;
}
