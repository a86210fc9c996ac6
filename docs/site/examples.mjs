/** The examples of the documents as links to the playground: each block that is a configuration, or a part of one that the compiler can complete. */
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { build } from '../../node_modules/esbuild/lib/main.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => readFileSync(join(repository, path), 'utf8');

/** `wholeExample` of the compiler, which completes the examples of `apikiln explain`. */
const { wholeExample, parts } = await bundled('compiler/tools/example.ts');
const { checkSource } = await bundled('compiler/compile.ts');

async function bundled(path) {
  const { outputFiles } = await build({
    entryPoints: [join(repository, path)],
    ...{ bundle: true, write: false, format: 'esm', platform: 'browser', logLevel: 'warning' },
    // Packages that only load to write files.
    external: ['oxfmt'],
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/** The tables and rows that the configurations of a document read. */
function databaseOf(source) {
  if (source === 'docs/guide.md')
    return {
      schema: read('templates/starter/schema.postgresql.sql'),
      seed: read('templates/starter/seed.sql'),
    };
  if (!source.startsWith('docs/recipes/')) return { schema: '', seed: '' };
  const shared = blocksOf(read('docs/recipes/README.md'));
  const own = source.endsWith('/README.md') ? [] : blocksOf(read(source));
  const textOf = (...infos) =>
    [...shared, ...own]
      .filter(({ info }) => infos.includes(info))
      .map(({ text }) => text)
      .join('\n');
  const alone = own.filter(({ info }) => info === 'sql schema.sql');
  if (alone.length > 0) return { schema: alone.map(({ text }) => text).join('\n'), seed: '' };
  return { schema: textOf('sql schema'), seed: textOf('sql seed') };
}

/** The code blocks of a document at the left edge: the words after the fence, and the text. */
export function blocksOf(document) {
  return [...document.matchAll(/^```(.*)\n([^]*?)^```$/gm)].map(([, info, text]) => ({ info, text }));
}

/** The fragments of the playground's URL for the blocks of a document, undefined for blocks that are not examples. */
export function fragmentsOf(source) {
  const blocks = blocksOf(read(source));
  const database = databaseOf(source);
  const beside = (kind) => blocks.filter(({ info }) => info === `yaml ${kind}`).map(({ text }) => text);
  const used = {
    ...{ authentications: beside('authentications'), datasources: beside('datasources') },
    // `sql schema crm`: the tables of a database that is not PostgreSQL.
    otherDatabases: blocks.flatMap(({ info }) => /^sql schema (\w+)$/.exec(info)?.[1] ?? []),
  };
  return blocks.map(({ info, text }, index) => {
    const config = configurationOf(info, text, used);
    if (config === undefined || !isAsExpected(config, info)) return undefined;
    const next = blocks.slice(index + 1).find((block) => /^(?:http$|yaml )/.test(block.info));
    return fragment(config, database, next?.info === 'http' ? requestOf(next.text) : firstRequest(config));
  });
}

function configurationOf(info, text, beside) {
  const [language, ...words] = info.split(' ');
  if (language !== 'yaml' && language !== 'sql') return undefined;
  const part = words.find((word) => word !== 'wrong' && word !== 'right') ?? '';
  if (part === 'file' || part === 'config.yaml') return text;
  // The configurations of recipes and of the guide name data sources of their service.
  if (part === 'operations' && words.length === 1) return serviceOf(text, beside);
  return parts.includes(part) ? wholeExample({ part }, text).text : undefined;
}

/** `authentications` and `datasources` are blocks of the same page. Undefined if the playground does not have the database. */
function serviceOf(operations, { authentications, datasources, otherDatabases }) {
  const indented = (text) => text.replaceAll(/^(?=.)/gm, '  ');
  const named = datasources.join('').match(/^\w+(?=:)/gm) ?? [];
  const used = new Set([...operations.matchAll(/\bdatasource: (\w+)/g)].map(([, name]) => name));
  if (otherDatabases.some((name) => used.has(name))) return undefined;
  const databases = [...used]
    .filter((name) => !named.includes(name))
    .map((name) => `${name}:\n  type: db\n  url: jdbc:postgresql://localhost:5432/${name}\n`);
  const needed = datasources.filter((text) => [...used].some((name) => text.startsWith(`${name}:`)));
  const access = /^ {2}authentications:/m.test(operations) && authentications.length > 0;
  return [
    'specification: "1.0"\n\noperations:\n',
    indented(operations),
    ...(access ? ['\nauthentications:\n', ...authentications.map(indented)] : []),
    ...(used.size > 0 ? ['\ndatasources:\n', ...[...needed, ...databases].map(indented)] : []),
  ].join('');
}

/** Whether a wrong example has diagnostics, and every other one no errors. */
function isAsExpected(text, info) {
  const { diagnostics } = checkSource({ config: { path: 'config.yaml', text } });
  if (/ wrong\b/.test(info)) return diagnostics.length > 0;
  return diagnostics.every(({ severity }) => severity !== 'error');
}

/** As `docs/playground/state.ts` reads it. */
function fragment(config, { schema, seed }, request) {
  const names = new Set([...config.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name));
  const env = [...names].map((name) => `${name}=example-0123456789-0123456789-0123456789\n`).join('');
  const changed = {
    'config.yaml': config,
    'openapi.yaml': '',
    'schema.sql': schema,
    'seed.sql': seed,
    '.env': env,
  };
  const state = { example: 'first', changed, request };
  return deflateRawSync(JSON.stringify(state), { level: 9 }).toString('base64url');
}

/** The request of a block: its first line, headers and body. */
function requestOf(text) {
  const [head = '', ...rest] = text.trim().split('\n\n');
  const [first = '', ...headers] = head.split('\n');
  const [method = '', url = ''] = first.split(' ');
  return { method, url, headers: headers.join('\n'), body: rest.join('\n\n') };
}

/** A request of the first operation, for examples without one. */
function firstRequest(config) {
  const [, method = 'GET', path = '/'] = /^ +'?([A-Z]+) (\/[^\s']*)'?:/m.exec(config) ?? [];
  return { method, url: path.replaceAll(/\{\w+\}/g, '1'), headers: '', body: '' };
}
