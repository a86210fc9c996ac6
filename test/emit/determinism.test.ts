/** The same configuration yields the same bytes, and a change of the configuration changes only related files. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import { compiledFixtures } from '../helpers/compiled-fixtures.js';
import { databasesOf, inputOf, repository } from '../helpers/service-fixture.js';
import { builtTool } from '../helpers/shared-servers.js';
import { isArchive } from '../../compiler/generate/write/archive.js';
import { assets, filesOf } from './compile-text.js';

const { fixtures } = await compiledFixtures();
const newsFixture = fixtures.find(({ id }) => id === 'news-postgresql')?.fixture;
const news = newsFixture?.config ?? '';

const compiled = new Map<string, Promise<Record<string, string>>>();

/** File texts by path; each configuration is compiled once. */
function service(config: string, path = 'config.yaml'): Promise<Record<string, string>> {
  const key = `${path}\n${config}`;
  const files = compiled.get(key) ?? compiledAnew(config, path);
  compiled.set(key, files);
  return files;
}

async function compiledAnew(config: string, path: string): Promise<Record<string, string>> {
  return Object.fromEntries((await filesOf(config, path)).map((file) => [file.path, file.text]));
}

/** The operation of the news service with another path. */
function operationOf(index: number): string {
  const [, operation = ''] = /^ {2}'GET \/news\/\{id\}':\n((?: {4}.*\n|\n)+)/m.exec(news) ?? [];
  return `  GET /news${index}/{id}:\n${operation}`;
}

/** The paths whose texts differ. */
function differences(a: Record<string, string>, b: Record<string, string>): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((path) => a[path] !== b[path]).sort();
}

describe('one configuration', () => {
  test('makes the same files when it is compiled again', async () => {
    expect(differences(await service(news), await compiledAnew(news, 'config.yaml'))).toEqual([]);
  });

  test('makes the same files with a comment at the top, and with blank lines and comments anywhere between', async () => {
    expect(differences(await service(news), await service(`# Of the editors.\n${news}`))).toEqual([]);
    const spaced = news.replaceAll(/\n(?= {2}'|datasources)/g, '\n\n# more\n\n');
    expect(spaced).not.toBe(news);
    expect(differences(await service(news), await service(spaced))).toEqual([]);
  });

  test('makes the same files with other line breaks, and with a byte order mark', async () => {
    const [plain, windows] = [await service(news), await service(news.replaceAll('\n', '\r\n'))];
    expect(differences(plain, windows)).toEqual([]);
  });

  test('makes the same files in every folder', async () => {
    expect(
      differences(await service(news), await service(news, '/home/somebody/very/secret/config.yaml')),
    ).toEqual([]);
    expect(differences(await service(news), await service(news, '..\\somewhere\\config.yaml'))).toEqual([]);
  });

  test('names its own file and no other path', async () => {
    const changed = differences(await service(news), await service(news, 'other.yaml'));
    expect(changed).toEqual(
      Object.keys(await service(news)).filter((path) => isOwn(path) || path === 'README.md'),
    );
  });
});

function isOwn(path: string): boolean {
  return path.startsWith('src/');
}

describe('a change', () => {
  const [head = '', ...operations] = news.split(/\n(?= {2}'[A-Z])/);
  const [last = '', tail = ''] = operations.pop()?.split(/\n(?=datasources)/) ?? [];
  const all = [...operations, last];

  test('the order of operations changes only the files that list them', async () => {
    const shuffled = [head, ...all.toReversed(), tail].join('\n');
    expect(shuffled).not.toBe(news);
    expect(differences(await service(news), await service(shuffled))).toEqual(['README.md', 'src/router.ts']);
  });

  test('taking an operation away changes its module and the files that list them', async () => {
    const shorter = [head, ...all.slice(1), tail].join('\n');
    expect(differences(await service(news), await service(shorter))).toEqual([
      'README.md',
      'src/operations/get-news.ts',
      'src/router.ts',
    ]);
  });

  test('another statement changes one module', async () => {
    const other = news.replace('SELECT id, author, body', 'SELECT id, author, upper(body) AS body');
    expect(differences(await service(news), await service(other))).toEqual([
      'src/operations/get-news-by-id.ts',
    ]);
  });

  test('another password changes .env alone', async () => {
    const [one, other] = ['hunter2', 'hunter3'].map((word) => news.replace('${DB_PASSWORD:news}', word));
    expect(differences(await service(one ?? ''), await service(other ?? ''))).toEqual(['.env']);
  });
});

describe('the machine', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'apikiln-determinism-'));
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  test('the built tool writes the same modules as its sources', async () => {
    const operations = Array.from({ length: 150 }, (_, index) => operationOf(index));
    const config = news.replace(/^operations:\n/m, (line) => `${line}${operations.join('')}`);
    const path = join(folder, 'config.yaml');
    writeFileSync(path, config);
    const out = join(folder, 'many');
    execFileSync(process.execPath, [...[await builtTool(), 'build', path], ...['--out', out, '--quiet']]);
    const handlers = Object.entries(await service(config)).filter(([name]) => name.startsWith('src/'));
    expect(handlers.length).toBeGreaterThan(150);
    for (const [name, text] of handlers) expect(readFileSync(join(out, name), 'utf8'), name).toBe(text);
  });

  test('its folder, time zone, language and environment change nothing', async () => {
    const config = join(repository, 'fixtures/services/news/config.yaml');
    const args = ['--liftoff-only', await builtTool(), 'build', config, '--out', 'service', '--quiet'];
    execFileSync(process.execPath, args, {
      cwd: folder,
      env: {
        TZ: 'Asia/Kathmandu',
        LANG: 'tr_TR.UTF-8',
        LC_ALL: 'tr_TR.UTF-8',
        HOME: folder,
        DB_PASSWORD: 'from-the-environment',
        NODE_ENV: 'production',
        FORCE_COLOR: '1',
      },
    });
    const out = join(folder, 'service');
    const paths = readdirSync(out, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(out.length + 1));
    if (newsFixture === undefined) throw new Error('There is no fixture news.');
    const databases = databasesOf(newsFixture);
    const { files: expected = [] } = await compile(inputOf(newsFixture), assets, undefined, databases);
    expect(paths.filter((path) => path !== '.apikiln.json').sort()).toEqual(
      expected.map(({ path }) => path).sort(),
    );
    for (const { path, text, kind } of expected) {
      const written = readFileSync(join(out, path), isArchive(path) ? 'latin1' : 'utf8');
      expect(kind === 'secret' ? written.slice(written.indexOf('\n') + 1) : written, path).toBe(text);
    }
  });
});

test.each(fixtures)(
  '$id: no time, no version of the tool besides that of its runtime and no path of a machine is in the output',
  ({ files = [] }) => {
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(files.length).toBeGreaterThan(0);
    for (const { path, text } of files) {
      if (isArchive(path)) continue;
      expect(text, path).not.toMatch(/\b20\d\d-\d\d-\d\dT|\b\d\d:\d\d:\d\d\b/);
      expect(text, path).not.toContain(repository);
      // The runtime is a package with the tool's version.
      if (!/package(?:-lock)?\.json$/.test(path)) expect(text, path).not.toContain(version);
    }
  },
);
