/** The design documents: their numbers are unique, and everything that cites a number finds it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { filesBelow } from '../project/sources.js';
import { pagesBelow } from './code-blocks.js';

function textOf(path: string): string {
  return readFileSync(join(repository, path), 'utf8');
}

/** Page files by the prefix of their numbers, such as `SQL` → `sql.md`, from the table in the README. */
const parts = new Map(
  [...textOf('docs/design/README.md').matchAll(/^\| \[[^\]]+\]\(([a-z-]+\.md)\) \| ([A-Z]+) \|/gm)].map(
    ([, file = '', letters = '']) => [letters, file],
  ),
);

interface Numbered {
  /** `SQL-4` for a section, `SQL-4.2` for a statement. */
  readonly number: string;
  readonly anchor: string;
  readonly file: string;
}

/** The sections and statements of a page, in order. */
function numberedOf(file: string, text: string): Numbered[] {
  const sections = /^<a id="([^"]+)"><\/a>\n\n## ([A-Z]+-\d+) /gm;
  const statements = /^- <a id="([^"]+)"><\/a>\*\*([A-Z]+-\d+\.\d+)(?: [SX])?\*\* \S/gm;
  return [...text.matchAll(sections), ...text.matchAll(statements)].map(([, anchor = '', number = '']) => ({
    number,
    anchor,
    file,
  }));
}

/** Numbering errors of the pages. */
function wrongNumbers(pages: readonly { readonly file: string; readonly text: string }[]): string[] {
  const all = pages.flatMap(({ file, text }) => numberedOf(file, text));
  const numbers = new Set<string>();
  const wrong: string[] = [];
  for (const { number, anchor, file } of all) {
    if (numbers.has(number)) wrong.push(`${number} is there twice`);
    numbers.add(number);
    if (anchor !== number.toLowerCase()) wrong.push(`${number} has the anchor ${anchor}`);
    if (parts.get(number.replace(/-.*/, '')) !== file) wrong.push(`${number} is in ${file}`);
  }
  for (const { number } of all)
    if (!numbers.has(number.replace(/\..*/, ''))) wrong.push(`${number} has no section`);
  for (const { file, text } of pages)
    for (const line of text.split('\n'))
      if (/<a id=|^## |^- |\*\*[A-Z]+-\d/.test(line) && !isNumbered(line)) wrong.push(`${file}: ${line}`);
  return wrong;
}

/** Whether a line is an anchor, a numbered heading or a numbered statement. */
function isNumbered(line: string): boolean {
  return /^<a id="[a-z]+-\d+"><\/a>$|^## [A-Z]+-\d+ |^- <a id="[a-z]+-\d+\.\d+"><\/a>\*\*[A-Z]+-\d+\.\d+(?: [SX])?\*\* /.test(
    line,
  );
}

const pages = pagesBelow('docs/design')
  .filter((path) => !path.endsWith('/README.md'))
  .map((path) => ({ file: path.replace('docs/design/', ''), text: textOf(path) }));
const numbered = pages.flatMap(({ file, text }) => numberedOf(file, text));
const numbers = new Set(numbered.map(({ number }) => number));
const anchors = new Set(numbered.map(({ anchor, file }) => `${file}#${anchor}`));

/** Broken links to the design documents, and broken statement numbers, in a text that is not Markdown. */
function brokenCitations(text: string): string[] {
  const links = [...text.matchAll(/docs\/design(?:\/([\w-]+\.md)(?:#([\w.-]*\w))?)?/g)].filter(
    ([, file, anchor]) =>
      file !== undefined &&
      (anchor === undefined ? !pages.some((page) => page.file === file) : !anchors.has(`${file}#${anchor}`)),
  );
  return [...links.map(([link]) => link), ...brokenNumbers(text, /\b([A-Z]+)-\d+\.\d+\b/g)];
}

/** Numbers that do not belong to a statement or a section. */
function brokenNumbers(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)]
    .filter(([number, letters = '']) => parts.has(letters) && !numbers.has(number))
    .map(([number]) => number);
}

/** The number of a section or a statement: `SQL-4`, `SQL-4.2`. */
const anyNumber = /\b([A-Z]+)-\d+(?:\.\d+)?\b/g;

/** Citations of documents outside the repository: `decisions 8.2`. */
const elsewhere = /\b(?:decisions?|extensions?|reliability) [A-Z]?\d+(?:\.\d+)?\b|\(specification,/i;

const sources = ['compiler', 'runtime', 'templates', 'test', '.ci']
  .flatMap(filesBelow)
  .filter((path) => /\.(?:ts|mjs|yaml|md|sh)$|\/run$/.test(path) && path !== 'test/documents/design.test.ts');
const fixtures = filesBelow('fixtures').filter(
  (path) => path.endsWith('.yaml') && !path.includes('/expected/'),
);

describe('the definition', () => {
  test('has a part for each of its pages', () => {
    expect([...parts.values()].sort()).toEqual(pages.map(({ file }) => file).sort());
  });

  test('has each number once, with its anchor, in its part and below its section', () => {
    expect(numbers.size).toBeGreaterThan(500);
    expect(wrongNumbers(pages)).toEqual([]);
  });

  test('is the whole of version 1.0: the statements of the specification stay', () => {
    const specified = pages.flatMap(({ text }) => [...text.matchAll(/\*\*([A-Z]+-\d+\.\d+) S\*\*/g)]);
    expect(specified).toHaveLength(150);
  });

  test('would be wrong with a number twice, a wrong anchor, another part, or no section', () => {
    const line = (number: string, anchor = number.toLowerCase()): string =>
      `- <a id="${anchor}"></a>**${number}** A statement.\n`;
    const section = '<a id="sql-1"></a>\n\n## SQL-1 A section\n\n';
    const of = (text: string): string[] => wrongNumbers([{ file: 'sql.md', text: section + text }]);
    expect(of(line('SQL-1.1') + line('SQL-1.2'))).toEqual([]);
    expect(of(line('SQL-1.1') + line('SQL-1.1'))).toEqual(['SQL-1.1 is there twice']);
    expect(of(line('SQL-1.1', 'sql-1.2'))).toEqual(['SQL-1.1 has the anchor sql-1.2']);
    expect(of(line('MAP-1.1'))).toEqual(['MAP-1.1 is in sql.md', 'MAP-1.1 has no section']);
    expect(of('- A statement without a number.\n')).toEqual(['sql.md: - A statement without a number.']);
  });
});

describe('citations', () => {
  test('of files find what they cite', () => {
    const broken = sources.flatMap((path) => {
      const text = textOf(path);
      return [...brokenCitations(text), ...(elsewhere.exec(text) ?? [])].map((one) => `${path}: ${one}`);
    });
    expect(broken).toEqual([]);
  });

  test('the runtime, which services have without documents, says its rules itself', () => {
    const linking = filesBelow('runtime').filter((path) => textOf(path).includes('docs/design'));
    expect(linking).toEqual([]);
  });

  test('of fixtures name rules that exist', () => {
    const rules = fixtures.flatMap((path) =>
      textOf(path)
        .split('\n')
        .filter((line) => /\brule: /.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(rules.filter((line) => brokenNumbers(line, anyNumber).length > 0 || elsewhere.test(line))).toEqual(
      [],
    );
    expect(rules.filter((line) => line.search(anyNumber) >= 0).length).toBeGreaterThan(1000);
  });

  test('would be broken by another file, anchor or number, or as before', () => {
    const broken = [
      'docs/design/squeal.md',
      'docs/design/sql.md#sql-99',
      'docs/design/sql.md#sql-4.99',
      'docs/design/map.md#sql-4.2',
      'SQL-4.99',
    ];
    expect(broken.filter((text) => brokenCitations(`(${text}).`).length === 0)).toEqual([]);
    expect(brokenCitations('docs/design/sql.md#sql-4.2, docs/design/sql.md, SQL-4.2, HTTP-1.1')).toEqual([]);
    expect(elsewhere.test('null is no tag (extensions 12.5)')).toBe(true);
  });
});
