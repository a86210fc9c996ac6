/** Allowed imports: downwards only, in the order shown in CONTRIBUTING.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { importsOf, sourcesBelow } from './sources.js';

const compiler = sourcesBelow('compiler');
const runtime = sourcesBelow('runtime');

/** The layers of the compiler from the bottom up: each imports only itself and earlier layers. */
const rooms: readonly string[] = [
  'compiler/notation',
  'compiler/read/source.ts',
  'compiler/read/wordset.ts',
  'compiler/read/bytes.ts',
  'compiler/read/json.ts',
  'compiler/read/diagnostics',
  'compiler/read/expression',
  'compiler/read/html',
  'compiler/read/sql',
  'compiler/read/config',
  'compiler/read/openapi',
  'compiler/analyze/mapping',
  'compiler/analyze/types',
  'compiler/analyze/operations',
  'compiler/analyze/describe',
  'compiler/analyze/check',
  'compiler/analyze/database',
  'compiler/generate/assets.ts',
  'compiler/generate/code',
  'compiler/generate/plan',
  'compiler/generate/emit',
  'compiler/generate/write',
  'compiler/compile.ts',
  'compiler/tools/describe.ts',
  'compiler/tools/example.ts',
  'compiler/tools/typescript',
  'compiler/tools/local',
  'compiler/tools/testing',
  'compiler/tools/explain',
  'compiler/tools/diff',
  'compiler/tools/audit',
  'compiler/tools/doctor',
  'compiler/tools/editor',
  'compiler/tools/init',
  'compiler/tools/dev',
  'compiler/tools/create',
  'compiler/tools/commands',
  'compiler/library.ts',
  'compiler/cli.ts',
];

/** The packages, and the files that may use them. */
const packages: Readonly<Record<string, RegExp>> = {
  yaml: /^compiler\/(?:notation\/yaml-(?:package(?:\.browser)?|writer)|read\/config\/yaml\/(?:plain\/)?yaml-[\w-]+)\.ts$/,
  'ts-morph': /^compiler\/tools\/typescript\/load-typescript\.ts$/,
  'oxc-transform': /^compiler\/tools\/typescript\/transpile\.ts$/,
  oxfmt: /^compiler\/generate\/emit\/module\/format-all\.ts$/,
  'prettier/standalone': /^compiler\/generate\/emit\/module\/format\.ts$/,
  'prettier/plugins/babel': /^compiler\/generate\/emit\/module\/format\.ts$/,
  'prettier/plugins/estree': /^compiler\/generate\/emit\/module\/format\.ts$/,
  '@electric-sql/pglite':
    /^compiler\/(?:analyze\/database\/embedded\/[\w-]+|tools\/local\/embedded-database)\.ts$/,
  '@electric-sql/pglite-socket': /^compiler\/tools\/local\/embedded-database\.ts$/,
  pg: /^compiler\/(?:analyze\/database\/postgres-server|tools\/local\/postgres-database)\.ts$/,
  mysql2: /^compiler\/(?:analyze\/database\/mysql-server|tools\/local\/mysql-database)\.ts$/,
  jose: /^compiler\/tools\/(?:local\/token-keys|dev\/key-relay)\.ts$/,
  'vscode-languageserver/node': /^compiler\/tools\/commands\/lsp\/[\w-]+\.ts$/,
  'vscode-languageserver-textdocument': /^compiler\/tools\/commands\/lsp\/[\w-]+\.ts$/,
  vscode: /^compiler\/tools\/editor\/vscode\/[\w-]+\.ts$/,
  'vscode-languageclient/node': /^compiler\/tools\/editor\/vscode\/language-clients\.ts$/,
  commander:
    /^compiler\/tools\/commands\/(?:command-line|program|shared\/command-options|completion|(?:build|run|review|editor)-commands)\.ts$/,
  picocolors: /^compiler\/(?:cli|tools\/commands\/shared\/output\/terminal)\.ts$/,
};

/** Pure functions whose results must be the same on both sides. */
const shared = [
  'runtime/server/environment.ts',
  'runtime/server/stop-process.ts',
  'runtime/server/edit-distance.ts',
  ...['runtime/server/environment-reference.ts', 'runtime/schedule/cron.ts', 'runtime/schedule/zone.ts'],
  ...['runtime/basicauth/basic-credential.ts', 'runtime/password-hash/password-hash.ts'],
  ...['runtime/apikey/key-problem.ts', 'runtime/jwt/algorithms.ts'],
  ...['runtime/rest/base-url.ts', 'runtime/rest/header-text.ts', 'runtime/rest/retry-defaults.ts'],
  ...['runtime/server/secure-address.ts', 'runtime/jwt/clock-tolerance.ts', 'runtime/server/api-version.ts'],
  'runtime/http/page-origin.ts',
  'runtime/mcp/messages.ts',
  ...['runtime/lists/ordered-sql.ts', 'runtime/lists/filter-types.ts', 'runtime/lists/filter-sql.ts'],
  ...[
    'runtime/handler/decimal.ts',
    'runtime/handler/json.ts',
    'runtime/compare/compare.ts',
    'runtime/compare/times.ts',
    'runtime/validate/pattern.ts',
  ],
  'runtime/sql/jdbc-url.ts',
  ...['runtime/smtp/address-form.ts', 'runtime/smtp/smtp-url.ts'],
];

/** Connection code of services: servers asked about statements are connected to in the same way. */
const connecting = [
  ...['runtime/sql/connection-settings.ts', 'runtime/sql/replica-settings.ts', 'runtime/sql/failure.ts'],
  'runtime/postgres/driver-internals.ts',
  ...['runtime/postgres/session.ts', 'runtime/postgres/failure.ts', 'runtime/mysql/session.ts'],
  ...['runtime/mysql/session.ts', 'runtime/mysql/failure.ts'],
];
const connects =
  /^compiler\/(?:analyze\/database\/(?:(?:postgres|mysql)-server|server-url)|tools\/local\/(?:postgres|mysql)-database)\.ts$/;

/** `doctor` examines a database with the complete drivers of services. */
const examining = ['runtime/postgres/postgres.ts', 'runtime/mysql/mysql.ts', 'runtime/sql/failure.ts'];

/** A host is chosen from several in the same way as in services. */
const choosing = [...examining, 'runtime/sql/hosts.ts'];

/** The tester and `dev` sign requests as third parties do; the tester checks those of the service as they do. */
const signing = ['runtime/signature/schemes.ts', 'runtime/signature/signed-headers.ts'];

function isBelow(path: string, module: string): boolean {
  return path === module || path.startsWith(`${module}/`);
}

/** The layer of a file; -1 if it is not in a layer. */
function heightOf(path: string): number {
  return rooms.findIndex((room) => isBelow(path, room));
}

/** `from → to` for every forbidden import of the files. */
function forbidden(
  files: typeof compiler,
  isAllowed: (path: string, target: string, isTypeOnly: boolean) => boolean,
): string[] {
  return files.flatMap((file) =>
    importsOf(file)
      .filter(({ target, isTypeOnly }) => !isAllowed(file.path, target, isTypeOnly))
      .map(({ target }) => `${file.path} → ${target}`),
  );
}

describe('inside the compiler', () => {
  test('every file is in a room, and every room has files', () => {
    expect(compiler.map(({ path }) => path).filter((path) => heightOf(path) < 0)).toEqual([]);
    const heights = new Set(compiler.map(({ path }) => heightOf(path)));
    expect(rooms.filter((_, height) => !heights.has(height))).toEqual([]);
  });

  test('imports go down', () => {
    expect(
      forbidden(
        compiler,
        (path, target) => !target.startsWith('compiler/') || heightOf(target) <= heightOf(path),
      ),
    ).toEqual([]);
  });

  test('an import that goes up is found', () => {
    const text = "import { compile } from '../../../compile.js';\n";
    const file = { path: 'compiler/read/sql/lexer/lexer.ts', text };
    expect(heightOf('compiler/compile.ts')).toBeGreaterThan(heightOf(file.path));
    expect(forbidden([file], (path, target) => heightOf(target) <= heightOf(path))).toHaveLength(1);
  });

  test('nothing imports the extension for VS Code, which only VS Code can load', () => {
    const others = compiler.filter(({ path }) => !isBelow(path, 'compiler/tools/editor/vscode'));
    // The package of the tool does not have its packages.
    expect(forbidden(others, (_, target) => !isBelow(target, 'compiler/tools/editor/vscode'))).toEqual([]);
  });

  test('emitters write down plans: they know nothing else of a configuration', () => {
    const emitters = compiler.filter(({ path }) => isBelow(path, 'compiler/generate/emit'));
    expect(
      forbidden(
        emitters,
        (_, target) => !/^compiler\/(?!notation\/|generate\/(?:assets|code|plan|emit))/.test(target),
      ),
    ).toEqual([]);
  });

  test('CONTRIBUTING.md has the rooms in this order', () => {
    const text = readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8');
    const [map = ''] = /^1\. \*\*`compiler\/notation`[^]*?(?=\n\n)/m.exec(text) ?? [];
    const named = [...map.matchAll(/^ +- ([^:]+):/gm)].flatMap(([, names = '']) =>
      [...names.matchAll(/`([\w./]+)`/g)].map(([, name = '']) => `compiler/${name}`),
    );
    expect(named).toEqual(rooms);
  });

  test('packages stay where they belong', () => {
    expect(
      forbidden(compiler, (path, target) => {
        if (/^(?:compiler|runtime)\/|^node:/.test(target)) return true;
        return packages[target]?.test(path) ?? false;
      }),
    ).toEqual([]);
  });

  test('files are only read and written by assets, commands, write and the cache of database results', () => {
    expect(
      forbidden(
        compiler,
        (path, target) =>
          !/^node:fs/.test(target) ||
          /^compiler\/(?:generate\/(?:assets\.ts|write\/)|tools\/(?:(?:commands|create)\/|editor\/vscode\/find-tool\.ts)|analyze\/database\/(?:disk-cache|packed-postgres|replace-file)\.ts)/.test(
            path,
          ),
      ),
    ).toEqual([]);
  });

  test('what makes the output knows no clock, environment or chance', () => {
    const pure = compiler.filter(
      ({ path }) =>
        !/^compiler\/(?:cli\.ts|tools\/(?:commands|create|dev|doctor|editor\/vscode|local|testing)\/|analyze\/database\/|generate\/(?:write\/|assets\.ts))/.test(
          path,
        ),
    );
    const impure =
      /\b(?:process\.(?:env|cwd|argv|platform)|Date\.now|Date\(\)|Math\.random|performance\.|randomUUID|hostname|toLocale)/;
    expect(pure.filter(({ text }) => impure.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

describe('no file imports itself by way of others, types included', () => {
  test.each([
    ['the compiler', compiler],
    ['the runtime', runtime],
  ])('%s', (_, files) => {
    expect(cycles(files)).toEqual([]);
  });

  test('a cycle is found, and named from its first file on', () => {
    const file = (path: string, ...imports: string[]) => ({
      path,
      text: imports.map((name) => `import type { A } from './${name}.js';\n`).join(''),
    });
    const files = [file('runtime/a.ts', 'b'), file('runtime/b.ts', 'c', 'd'), file('runtime/c.ts', 'a')];
    expect(cycles([...files, file('runtime/d.ts')])).toEqual([
      'runtime/a.ts → runtime/b.ts → runtime/c.ts → runtime/a.ts',
    ]);
  });
});

describe('between compiler and runtime', () => {
  test('the runtime never imports the compiler', () => {
    expect(forbidden(runtime, (_, target) => !target.startsWith('compiler/'))).toEqual([]);
  });

  test('the compiler imports types of the runtime, the pure functions that both must agree on, and how services connect', () => {
    expect(
      forbidden(
        compiler,
        (path, target, isTypeOnly) =>
          !target.startsWith('runtime/') ||
          isTypeOnly ||
          shared.includes(target) ||
          (connects.test(path) && connecting.includes(target)) ||
          (isBelow(path, 'compiler/tools/doctor') && choosing.includes(target)) ||
          (path === 'compiler/analyze/database/ask-server.ts' && choosing.includes(target)) ||
          (/^compiler\/tools\/(?:local\/credentials|testing\/stubbed-apis)\.ts$/.test(path) &&
            signing.includes(target)),
      ),
    ).toEqual([]);
  });

  test('those pure functions need nothing of the runtime that is not pure', () => {
    const seen = new Set(shared);
    for (const path of seen) {
      const file = runtime.find((source) => source.path === path);
      expect(file?.text, path).toBeDefined();
      for (const { target, isTypeOnly } of file === undefined ? [] : importsOf(file)) {
        if (target === 'croner' || isTypeOnly || shared.includes(target)) continue;
        expect(target, path).toMatch(/^runtime\/validate\/(?:linear-pattern|pattern-[\w-]+)\.ts$/);
        seen.add(target);
      }
    }
  });

  test('the runtime imports only packages that a service can have', () => {
    const allowed = [
      'axios',
      'croner',
      'express',
      'hash-wasm',
      'jose',
      'knex',
      'multer',
      'mysql2',
      'mysql2/promise',
      'nodemailer/lib/mail-composer',
      'nodemailer/lib/mime-funcs',
      'nodemailer/lib/smtp-connection',
      'pg',
      'pino',
    ];
    expect(
      forbidden(
        runtime,
        (path, target) =>
          /^(?:runtime\/|node:)/.test(target) ||
          allowed.includes(target) ||
          // Only user code of a service imports knex.
          (target === 'knex' && isBelow(path, 'runtime/knex')),
      ),
    ).toEqual([]);
  });
});

/** The first cycle found for each file. */
function cycles(files: typeof compiler): string[] {
  const targets = new Map(files.map((file) => [file.path, importsOf(file).map(({ target }) => target)]));
  const done = new Set<string>();
  const found: string[] = [];
  const follow = (path: string, way: readonly string[]): void => {
    const at = way.indexOf(path);
    if (at >= 0) found.push([...way.slice(at), path].join(' → '));
    if (at >= 0 || done.has(path)) return;
    for (const target of targets.get(path) ?? []) follow(target, [...way, path]);
    done.add(path);
  };
  for (const { path } of files) follow(path, []);
  return found;
}
