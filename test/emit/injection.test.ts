/**
 * Configuration strings never become code: every hostile string at every position that accepts it yields either a diagnostic or a service
 * with the same shape as for a harmless string, which type-checks and has no effect when loaded.
 */
import { execFileSync } from 'node:child_process';
import { posix } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Analysis } from '../../compiler/analyze/operations/analysis.js';
import { check } from '../../compiler/analyze/check/check-config.js';
import { readWithSql } from '../helpers/read-with-sql.js';
import { Report } from '../../compiler/read/diagnostics/report.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { everyOf } from '../helpers/runs.js';
import { buildServices } from '../helpers/service-build.js';
import { compileText, filesOf, textOf } from './compile-text.js';
import { canary, hostileTexts as allTexts } from './hostile.js';
import { shapeOf } from './shape.js';

/** Selects a fraction of the strings. */
const each = everyOf(3);
const hostileTexts = allTexts.filter((_, index) => index % each === 0);

/** Harmless strings for an operation. */
const benign = {
  parameter: 'id',
  bodyName: 'alpha',
  fulfillment: 'news',
  columnName: 'beta',
  deepName: 'gamma',
  rawText: 'delta',
  quotedText: 'epsilon',
  conditionText: 'zeta',
  instructionText: 'eta',
  message: 'No such news',
  messageText: 'theta',
  response: 'ok',
  otherResponse: 'other',
  schemaKey: 'iota',
  nestedKey: 'kappa',
  itemKey: 'lambda',
  itemName: 'mu',
  sqlText: 'nu',
  sqlName: 'xi',
  sqlComment: 'omicron',
  sqlLine: 'pi',
  sqlTail: 'rho',
  sqlFormText: 'sigma',
  sqlFormComment: 'tau',
  bindingText: 'upsilon',
};
type Hole = keyof typeof benign;
type Holes = Readonly<Record<Hole, string>>;

const inherited = new Set(Object.getOwnPropertyNames(Object.prototype));

/**
 * Names inherited from Object.prototype are read by a helper function, and numeric strings are compared by one: a different shape, on
 * purpose.
 */
function hasOwnCode(hole: Hole, text: string): boolean {
  if (['bodyName', 'columnName', 'deepName', 'itemName'].includes(hole)) return inherited.has(text);
  return ['conditionText', 'instructionText', 'messageText'].includes(hole) && /^-?\d/.test(text);
}

/** At the end of a statement, which is the user's SQL: a call of an unknown function, which changes the options of the statement. */
function isCallInSql(text: string): boolean {
  return /^\w+\(.*\)$/.test(text);
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** An operation with a hole at each string. */
function operationOf(texts: Holes, datasource: string): object {
  const name = texts.fulfillment;
  const value = (path: string): string => `VALUE(${name}, ${path})`;
  const path = (text: string): string => `$[${quoted(text)}]`;
  const statement = [
    `SELECT '${texts.sqlText}' AS a, "${texts.sqlName}" AS b /* ${texts.sqlComment} */`,
    `FROM t -- ${texts.sqlLine}`,
    `WHERE x = :[TEXT(${quoted(texts.bindingText)})] AND y = :[PARAM(${quoted(texts.parameter)})] ORDER BY ${texts.sqlTail}`,
  ];
  return {
    fulfillments: [
      {
        name,
        type: 'READ',
        datasource,
        if: `PARAM(q) != TEXT(${quoted(texts.conditionText)})`,
        instructions: [
          { if: `PARAM(q) == TEXT(${quoted(texts.instructionText)})`, query: statement.join('\n') },
          {
            sql: {
              query: `SELECT '${texts.sqlFormText}' FROM t WHERE a = ? /* ${texts.sqlFormComment} */`,
              parameters: [{ param: `BODY(${path(texts.bodyName)})` }],
            },
          },
        ],
        exceptions: [
          {
            if: `${value('$.a')} == TEXT(${quoted(texts.messageText)})`,
            statuscode: 404,
            message: texts.message,
          },
        ],
      },
    ],
    responses: [
      { name: `not ${texts.otherResponse}`, default: false, if: 'PARAM(a) == NULL()', statuscode: 201 },
      {
        name: texts.response,
        default: true,
        statuscode: 200,
        schema: {
          raw: `TEXT(${texts.rawText})`,
          text: `TEXT(${quoted(texts.quotedText)})`,
          [`key ${texts.schemaKey}`]: { [texts.nestedKey]: value(path(texts.columnName)) },
          deep: value(`$.a[${quoted(texts.deepName)}]`),
          list: { list: value('$'), item: { [texts.itemKey]: `VALUE(@, ${path(texts.itemName)})` } },
        },
      },
    ],
  };
}

const url = 'jdbc:postgresql://localhost/db';
const database = { type: 'db', url };

function configOf(operations: object, datasources: object = { db: database }, settings: object = {}): object {
  return { specification: '1.0', operations, datasources, settings };
}

/** True if the configuration has no errors. Only reads and checks it, which is fast. */
function isAccepted(config: object): boolean {
  const report = new Report();
  const read = readWithSql(JSON.stringify(config), report);
  if (read !== undefined && !report.hasErrors) check(new Analysis(read, undefined, report.errors), report);
  return !report.hasErrors;
}

/** For each hostile string, an operation that contains it at every position that accepts it; other positions stay harmless. */
const holes = Object.keys(benign) as Hole[];
let combinations = 0;
const accepted = hostileTexts.map((text) => {
  const tried = holes.filter((hole) => !hasOwnCode(hole, text));
  combinations += tried.length;
  const fits = fitting(text, tried);
  const everywhere: Holes = { ...benign, ...Object.fromEntries(fits.map((hole) => [hole, text])) };
  return { text, fits, everywhere };
});

/** The holes that accept the string: tries all of them together, then each half separately. */
function fitting(text: string, some: readonly Hole[]): readonly Hole[] {
  const texts = { ...benign, ...Object.fromEntries(some.map((hole) => [hole, text])) };
  if (isAccepted(configOf({ 'GET /a': operationOf(texts, 'db') }))) return some;
  if (some.length === 1) return [];
  const middle = Math.ceil(some.length / 2);
  return [some.slice(0, middle), some.slice(middle)].flatMap((half) => fitting(text, half));
}

/** Names of operations and datasources, credentials, and the file name. */
const names = hostileTexts.filter((text) => {
  combinations += 4;
  return isAccepted(
    configOf(
      { [text]: operationOf(benign, text) },
      { [text]: { ...database, user: text, password: text } },
      { licence: text },
    ),
  );
});

const paths = [...hostileTexts, "'+x+'", '`', '${x}', '\\', '"', '*/x/*'].filter((text) => {
  combinations += 1;
  return isAccepted(configOf({ [`GET /${text}`]: operationOf(benign, 'db') }));
});

/** Names that differ only in special characters would share an environment variable, which is an error. */
function unlike(name: string, index: number): string {
  return `${name} ${index}`;
}

const single = configOf(
  Object.fromEntries(
    accepted.map(({ everywhere }, index) => [`GET /hostile/${index}`, operationOf(everywhere, 'db')]),
  ),
);
const named = configOf(
  {
    ...Object.fromEntries(names.map((name, index) => [name, operationOf(benign, unlike(name, index))])),
    ...Object.fromEntries(paths.map((path, index) => [`GET /${index}/${path}`, operationOf(benign, 'db')])),
  },
  {
    db: database,
    ...Object.fromEntries(
      names.map((name, index) => [unlike(name, index), { type: 'db', url, user: name, password: name }]),
    ),
  },
  { licence: hostileTexts[0] },
);

let services: readonly { readonly name: string; readonly files: readonly GeneratedFile[] }[];
let folders: ReadonlyMap<string, string>;

beforeAll(async () => {
  services = [
    { name: 'texts', files: await filesOf(single) },
    { name: 'traced', files: await filesOf({ ...single, settings: { debug: true } }) },
    { name: 'names', files: await filesOf(named, `a/b*/\n${hostileTexts[2] ?? ''}.yaml`) },
  ];
  // Throws if a service does not type-check with its own strict settings.
  folders = buildServices('injection', services);
});

function operationsOf(files: readonly GeneratedFile[]): readonly GeneratedFile[] {
  return files.filter(({ path }) => path.startsWith('src/operations/'));
}

describe('hostile texts', () => {
  type Twins = Readonly<Record<'plain' | 'calling', string>>;
  let twins: Twins;
  let tracedTwins: Twins;

  beforeAll(async () => {
    const shapeWith = async (settings: object, texts: Holes): Promise<string> => {
      const files = await filesOf(configOf({ 'GET /a': operationOf(texts, 'db') }, undefined, settings));
      return shapeOf(textOf(files, 'src/operations/get-a.ts'));
    };
    const twinsWith = async (settings: object): Promise<Twins> => ({
      plain: await shapeWith(settings, benign),
      calling: await shapeWith(settings, { ...benign, sqlTail: "rho('x')" }),
    });
    twins = await twinsWith({});
    tracedTwins = await twinsWith({ debug: true });
    expect(new Set([...Object.values(twins), ...Object.values(tracedTwins)]).size).toBe(4);
  });

  test('are tried at more than 2,000 positions, and most are accepted', () => {
    expect(combinations).toBeGreaterThan(2000 / each);
    expect(accepted.flatMap(({ fits }) => fits).length).toBeGreaterThan(1200 / each);
    expect(names.length).toBeGreaterThan(50 / each);
    expect(paths.length).toBeGreaterThan(10 / each);
  });

  test.each(holes)('some are taken, as they are, by the hole %s', (hole) => {
    const taken = accepted.filter(({ fits }) => fits.includes(hole));
    expect(taken.length, hole).toBeGreaterThan(5 / each);
  });

  test.each(['texts', 'traced', 'names'])('%s: every operation has the shape of its plain twin', (name) => {
    const files = operationsOf(services.find((service) => service.name === name)?.files ?? []);
    expect(files.length).toBe(name === 'names' ? names.length + paths.length : accepted.length);
    const { plain, calling } = name === 'traced' ? tracedTwins : twins;
    const calls =
      name === 'names' ? [] : accepted.map(({ everywhere }) => everywhere.sqlTail).filter(isCallInSql);
    for (const { path, text } of files) {
      const isCalling = calls.some((call) => text.includes(` ORDER BY ${call}\n`));
      expect(shapeOf(text), `${path}\n${text}`).toBe(isCalling ? calling : plain);
    }
  });

  test('the modules that list operations and datasources have the shape of their plain twins', async () => {
    const files = services.find((service) => service.name === 'names')?.files ?? [];
    const twins = Object.fromEntries(names.map((_, index) => [`datasource ${index}`, database]));
    const twin = await filesOf(
      configOf(Object.fromEntries(paths.map((_, index) => [`GET /x${index}`, operationOf(benign, 'db')])), {
        db: database,
        ...twins,
      }),
    );
    for (const path of ['src/datasources.ts', 'src/router.ts', 'src/main.ts']) {
      expect(shapeOf(textOf(files, path)), path).toBe(shapeOf(textOf(twin, path)));
    }
    expect(textOf(files, 'package.json')).toBe(textOf(twin, 'package.json'));
  });

  test('no file is outside the folder, and no two have one path', () => {
    for (const { files } of services) {
      for (const { path } of files) {
        expect(posix.normalize(path)).toBe(path);
        expect(path).toMatch(
          /^(?:src\/operations\/[a-z0-9-]+\.ts|src\/[a-z-]+\.ts|vendor\/apikiln-runtime-[\w.-]+\.tgz|[\w.-]+)$/i,
        );
      }
      expect(new Set(files.map(({ path }) => path.toLowerCase())).size).toBe(files.length);
    }
  });

  test('the description is one text, as JSON', () => {
    const files = services.find((service) => service.name === 'traced')?.files ?? [];
    const text = textOf(files, 'src/api-description.ts');
    expect(shapeOf(text)).toBe(shapeOf(text.replace(/`[^]*`/, '`{}`')));
  });

  test('nothing runs when the service is loaded', () => {
    const routers = [...folders].flatMap(([name, folder]) =>
      (name === 'traced' ? ['router', 'api-description'] : ['router']).map(
        (module) => `await import(${JSON.stringify(`${folder}/dist/${module}.js`)});`,
      ),
    );
    const script = `${routers.join('')} console.log(${JSON.stringify(canary)} in globalThis)`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    expect(printed).toBe('false\n');
  });

  test('text files are lines of what they are: no text begins a line of its own', () => {
    for (const { files } of services) {
      for (const line of textOf(files, '.env.example').split('\n')) expect(line).toMatch(/^(?:#.*)?$/);
      for (const line of textOf(files, '.env').split('\n')) expect(line).toMatch(/^(?:#.*|[A-Z0-9_]+=.*)?$/);
      expect(textOf(files, 'README.md')).not.toMatch(
        /^\s*(?:<(?!!-- prettier-ignore -->$)|globalThis|import)/m,
      );
    }
  });
});

test('a message with a placeholder is as closed as one without', async () => {
  const texts = hostileTexts.filter((text) => text !== '');
  const operations = texts.map((text, index): [string, object] => [
    `GET /${index}`,
    {
      fulfillments: [
        {
          name: 'a',
          type: 'READ',
          datasource: 'db',
          instructions: [{ query: 'SELECT 1' }],
          exceptions: [
            { if: 'PARAM(a) == NULL()', statuscode: 400, message: `${text}:[PARAM(b)]${text}$:[PARAM(c)]` },
          ],
        },
      ],
      responses: [{ name: 'ok', default: true, statuscode: 200 }],
    },
  ]);
  const { files, diagnostics } = await compileText(JSON.stringify(configOf(Object.fromEntries(operations))));
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const shapes = operationsOf(files ?? []).map(({ text }) => shapeOf(text));
  expect(shapes.length).toBe(texts.length);
  expect(new Set(shapes).size).toBe(1);
});
