/** Who may import whom: the table of CONTRIBUTING.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../helpers/service-fixture.js';
import { importsOf, sourcesBelow } from './sources.js';

const compiler = sourcesBelow('compiler');
const runtime = sourcesBelow('runtime');

/** What the files of each module may import of the compiler; a path includes all below it. */
const layers: Readonly<Record<string, readonly string[]>> = {
  'compiler/source.ts': [],
  'compiler/assets.ts': ['compiler/diagnostics/explanation.ts'],
  'compiler/example.ts': ['compiler/diagnostics/explanation.ts'],
  'compiler/diagnostics': ['compiler/source.ts'],
  'compiler/expression': ['compiler/source.ts', 'compiler/diagnostics'],
  'compiler/sql': ['compiler/source.ts', 'compiler/diagnostics', 'compiler/expression'],
  'compiler/config': ['compiler/source.ts', 'compiler/diagnostics', 'compiler/expression', 'compiler/sql'],
  'compiler/openapi': [
    ...['compiler/source.ts', 'compiler/diagnostics', 'compiler/expression', 'compiler/config/walk.ts'],
    ...['compiler/config/config-model.ts', 'compiler/config/node.ts', 'compiler/config/status.ts'],
    ...['compiler/config/yaml-document.ts', 'compiler/config/json-nodes.ts'],
    // A description that is generated has the types of values.
    ...['compiler/types/value-type.ts', 'compiler/types/join-types.ts'],
  ],
  'compiler/mapping': [
    ...['compiler/source.ts', 'compiler/diagnostics', 'compiler/expression'],
    ...['compiler/openapi/api-model.ts', 'compiler/config/config-model.ts', 'compiler/config/walk.ts'],
    'compiler/config/status.ts',
  ],
  'compiler/types': [
    ...['compiler/source.ts', 'compiler/expression', 'compiler/config/config-model.ts'],
    ...['compiler/config/walk.ts', 'compiler/sql'],
    ...[
      'compiler/openapi/api-model.ts',
      'compiler/openapi/declared.ts',
      'compiler/openapi/parameter-style.ts',
      'compiler/openapi/schema-part.ts',
    ],
  ],
  'compiler/analyze': [
    ...['compiler/source.ts', 'compiler/diagnostics', 'compiler/expression', 'compiler/mapping'],
    ...['compiler/config/config-model.ts', 'compiler/config/walk.ts', 'compiler/types'],
    ...['compiler/openapi/api-model.ts', 'compiler/openapi/match.ts', 'compiler/openapi/declared.ts'],
    ...['compiler/openapi/schema-part.ts', 'compiler/openapi/known-values.ts', 'compiler/openapi/form.ts'],
    'compiler/sql',
  ],
  'compiler/check': [
    ...['compiler/analyze', 'compiler/types', 'compiler/sql'],
    ...['compiler/source.ts', 'compiler/diagnostics', 'compiler/expression', 'compiler/mapping'],
    ...['compiler/config/config-model.ts', 'compiler/config/walk.ts', 'compiler/config/operation-name.ts'],
    'compiler/config/status.ts',
    ...['compiler/openapi/api-model.ts', 'compiler/openapi/match.ts', 'compiler/openapi/declared.ts'],
    'compiler/openapi/schema-part.ts',
  ],
  'compiler/plan': [
    'compiler/diagnostics/secret-words.ts',
    ...['compiler/source.ts', 'compiler/expression', 'compiler/sql', 'compiler/analyze', 'compiler/mapping'],
    ...['compiler/types/value-type.ts', 'compiler/types/known-types.ts', 'compiler/types/join-types.ts'],
    ...['compiler/check/checked.ts', 'compiler/config/config-model.ts', 'compiler/config/walk.ts'],
    ...['compiler/config/status.ts', 'compiler/config/url-options.ts', 'compiler/openapi/api-model.ts'],
    ...['compiler/openapi/form.ts', 'compiler/openapi/declared.ts', 'compiler/openapi/parameter-style.ts'],
    'compiler/openapi/schema-part.ts',
  ],
  'compiler/explain': [
    ...['compiler/analyze/analysis.ts', 'compiler/check/checked.ts', 'compiler/config/config-model.ts'],
    ...[
      'compiler/config/walk.ts',
      'compiler/diagnostics/counted.ts',
      'compiler/diagnostics/secret-words.ts',
      'compiler/diagnostics/visible.ts',
      'compiler/expression',
    ],
    ...['compiler/mapping/body-parts.ts', 'compiler/openapi/api-model.ts', 'compiler/plan'],
    ...['compiler/source.ts', 'compiler/sql', 'compiler/types'],
  ],
  'compiler/diff': [
    ...[
      'compiler/config/config-model.ts',
      'compiler/diagnostics/visible.ts',
      'compiler/explain',
      'compiler/mapping/body-parts.ts',
    ],
    ...['compiler/mapping/described.ts', 'compiler/openapi/api-model.ts', 'compiler/openapi/match.ts'],
    ...['compiler/types/infer.ts', 'compiler/types/value-type.ts'],
  ],
  'compiler/audit': [
    ...['compiler/check/checked.ts', 'compiler/config/config-model.ts', 'compiler/config/walk.ts'],
    ...[
      'compiler/diagnostics/counted.ts',
      'compiler/diagnostics/secret-words.ts',
      'compiler/diagnostics/visible.ts',
      'compiler/explain',
      'compiler/expression',
    ],
    ...['compiler/mapping/body-parts.ts', 'compiler/source.ts', 'compiler/sql'],
  ],
  'compiler/emit': ['compiler/assets.ts', 'compiler/plan'],
  'compiler/write': ['compiler/emit/file.ts'],
  'compiler/init': [
    ...['compiler/emit/yaml-text.ts', 'compiler/config/yaml-print.ts', 'compiler/database/read-tables.ts'],
    ...['compiler/openapi/schema-of-type.ts', 'compiler/types'],
    ...['compiler/openapi/api-model.ts', 'compiler/sql/dialect.ts', 'compiler/sql/quoted-name.ts'],
  ],
  'compiler/dev': [
    ...[
      'compiler/diagnostics/print-diagnostic.ts',
      'compiler/diagnostics/diagnostic.ts',
      'compiler/diagnostics/visible.ts',
    ],
    'compiler/local/step-lines.ts',
  ],
  'compiler/database': [
    ...['compiler/source.ts', 'compiler/sql', 'compiler/analyze/statement-descriptions.ts'],
    'compiler/config/config-model.ts',
  ],
  'compiler/local': [
    'compiler/diagnostics/counted.ts',
    'compiler/database',
    'compiler/sql/dialect.ts',
    'compiler/sql/quoted-name.ts',
    'compiler/source.ts',
  ],
  'compiler/testing': [
    ...['compiler/config/config-model.ts', 'compiler/config/fields.ts', 'compiler/config/node.ts'],
    ...['compiler/config/yaml-document.ts', 'compiler/config/yaml-print.ts', 'compiler/diagnostics'],
    'compiler/emit/cover-points.ts',
    ...['compiler/local', 'compiler/source.ts', 'compiler/sql/dialect.ts', 'compiler/sql/quoted-name.ts'],
  ],
  'compiler/editor': [
    ...['compiler/analyze/analysis.ts', 'compiler/analyze/analyzed-operation.ts'],
    ...[
      'compiler/analyze/statement-descriptions.ts',
      'compiler/config/config-model.ts',
      'compiler/config/walk.ts',
    ],
    ...[
      'compiler/diagnostics/fix.ts',
      'compiler/expression',
      'compiler/source.ts',
      'compiler/sql/dialect.ts',
      'compiler/sql/lexer.ts',
      'compiler/sql/placeholders.ts',
      'compiler/sql/quoted-name.ts',
      'compiler/sql/statement-description.ts',
      'compiler/sql/token.ts',
    ],
    'compiler/types',
  ],
  'compiler/compile.ts': [
    ...['compiler/source.ts', 'compiler/assets.ts', 'compiler/diagnostics', 'compiler/config/read-config.ts'],
    ...['compiler/openapi/documents.ts', 'compiler/openapi/read-description.ts'],
    ...['compiler/openapi/served.ts', 'compiler/openapi/api-model.ts', 'compiler/config/config-model.ts'],
    ...['compiler/analyze/analysis.ts', 'compiler/analyze/statement-descriptions.ts'],
    'compiler/analyze/values-for-description.ts',
    ...[
      'compiler/check/check-config.ts',
      'compiler/check/checked.ts',
      'compiler/check/disable-comments.ts',
      'compiler/plan/plan.ts',
      // What they keep from one compilation to the next.
      'compiler/config/kept-config.ts',
      'compiler/analyze/kept-analyses.ts',
      'compiler/check/kept-visits.ts',
      'compiler/plan/kept-plans.ts',
      'compiler/openapi/kept-description.ts',
      'compiler/emit/emit.ts',
      'compiler/emit/cover-points.ts',
      'compiler/emit/file.ts',
      'compiler/emit/imports-cache.ts',
    ],
    ...['compiler/emit/compilation-cache.ts', 'compiler/emit/target.ts'],
  ],
  'compiler/describe.ts': [
    ...['compiler/source.ts', 'compiler/diagnostics', 'compiler/config/read-config.ts'],
    ...['compiler/config/yaml-print.ts', 'compiler/check/check-config.ts', 'compiler/openapi/generate.ts'],
    ...['compiler/analyze/statement-descriptions.ts', 'compiler/analyze/values-for-description.ts'],
    'compiler/openapi/known-values.ts',
    ...['compiler/analyze/analysis.ts', 'compiler/config/config-model.ts'],
    ...['compiler/openapi/api-model.ts', 'compiler/openapi/read-description.ts'],
    ...['compiler/check/disable-comments.ts'],
  ],
  'compiler/commands': [
    ...['compiler/describe.ts', 'compiler/analyze/statement-descriptions.ts'],
    ...[
      'compiler/assets.ts',
      'compiler/compile.ts',
      'compiler/check/disable-comments.ts',
      'compiler/check/every-message.ts',
      'compiler/diagnostics',
      'compiler/example.ts',
      'compiler/source.ts',
    ],
    ...['compiler/explain', 'compiler/diff', 'compiler/audit'],
    ...['compiler/local', 'compiler/testing', 'compiler/config/config-model.ts'],
    ...[
      'compiler/emit/file.ts',
      'compiler/emit/compilation-cache.ts',
      'compiler/emit/target.ts',
      'compiler/openapi/documents.ts',
      'compiler/write',
    ],
    ...['compiler/openapi/read-description.ts', 'compiler/openapi/bundle.ts'],
    'compiler/config/yaml-print.ts',
    ...['compiler/database', 'compiler/dev'],
    ...['compiler/emit/transpile.ts', 'compiler/init', 'compiler/editor', 'compiler/analyze/analysis.ts'],
  ],
  'compiler/cli.ts': ['compiler/commands'],
};

/** The packages, and who uses them. */
const packages: Readonly<Record<string, RegExp>> = {
  yaml: /^compiler\/config\/yaml-[\w-]+\.ts$/,
  'ts-morph': /^compiler\/emit\/(?:import-text|transpile|ts-morph)\.ts$/,
  prettier: /^compiler\/emit\/format\.ts$/,
  'prettier/standalone': /^compiler\/emit\/format\.ts$/,
  'prettier/plugins/babel': /^compiler\/emit\/format\.ts$/,
  'prettier/plugins/estree': /^compiler\/emit\/format\.ts$/,
  '@electric-sql/pglite':
    /^compiler\/(?:database\/(?:embedded-[\w-]+|pack-postgres)|local\/embedded-database)\.ts$/,
  '@electric-sql/pglite-socket': /^compiler\/local\/embedded-database\.ts$/,
  pg: /^compiler\/(?:database\/postgres-server|local\/postgres-database)\.ts$/,
  mysql2: /^compiler\/(?:database\/mysql-server|local\/mysql-database)\.ts$/,
  'vscode-languageserver/node': /^compiler\/commands\/(?:lsp|protocol-[\w-]+)\.ts$/,
  'vscode-languageserver-textdocument': /^compiler\/commands\/(?:lsp|protocol-[\w-]+)\.ts$/,
  commander:
    /^compiler\/commands\/(?:command-line|program|command-options|completion|(?:build|run|review|editor)-commands)\.ts$/,
  picocolors: /^compiler\/(?:cli|commands\/terminal)\.ts$/,
};

/** Pure functions that both sides must agree on. */
const shared = [
  ...[
    'runtime/sql/jdbc-url.ts',
    'runtime/server/upper-snake.ts',
    'runtime/server/environment-reference.ts',
    'runtime/schedule/cron.ts',
  ],
  'runtime/authentication/basic-credential.ts',
  ...['runtime/rest/base-url.ts', 'runtime/rest/header-text.ts'],
  ...['runtime/handler/decimal.ts', 'runtime/compare/compare.ts', 'runtime/validate/pattern.ts'],
];

/** How services connect: a server that is asked about statements is reached as they reach it. */
const connecting = [
  ...['runtime/sql/connection-settings.ts', 'runtime/sql/failure.ts', 'runtime/postgres/client.ts'],
  ...['runtime/postgres/session.ts', 'runtime/postgres/failure.ts', 'runtime/mysql/connection.ts'],
  ...['runtime/mysql/session.ts', 'runtime/mysql/failure.ts'],
];
const connects =
  /^compiler\/(?:database\/(?:(?:postgres|mysql)-server|server-url)|local\/(?:postgres|mysql)-database)\.ts$/;

function isBelow(path: string, module: string): boolean {
  return path === module || path.startsWith(`${module}/`);
}

function moduleOf(path: string): string {
  return Object.keys(layers).find((module) => isBelow(path, module)) ?? '';
}

/** `from → to` for every import of the files that a rule forbids. */
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
  test('every file belongs to a module', () => {
    expect(compiler.map(({ path }) => path).filter((path) => moduleOf(path) === '')).toEqual([]);
  });

  test.each(Object.keys(layers))('%s imports what is before it, and nothing else', (module) => {
    const files = compiler.filter(({ path }) => moduleOf(path) === module);
    expect(files.length).toBeGreaterThan(0);
    const allowed = [module, ...(layers[module] ?? [])];
    expect(
      forbidden(
        files,
        (_, target) => !target.startsWith('compiler/') || allowed.some((other) => isBelow(target, other)),
      ),
    ).toEqual([]);
  });

  test('no import is allowed that nobody uses', () => {
    for (const [module, allowed] of Object.entries(layers)) {
      const targets = compiler.filter(({ path }) => moduleOf(path) === module).flatMap(importsOf);
      const unused = allowed.filter((other) => !targets.some(({ target }) => isBelow(target, other)));
      expect(unused, module).toEqual([]);
    }
  });

  test('CONTRIBUTING.md has the same table', () => {
    const text = readFileSync(join(repository, 'CONTRIBUTING.md'), 'utf8');
    const [, table = ''] = /\| Folder +\| All of [^\n]*\n[^\n]*\n(.*?)\n\n/s.exec(text) ?? [];
    const rows = Object.entries(layers).flatMap(([module, allowed]) => {
      if (module.endsWith('.ts')) return [];
      const whole = allowed.filter((path) => path.split('/').length === 2);
      const others = allowed.filter((path) => !whole.includes(path));
      const shown = (paths: readonly string[]): string =>
        [...new Set(paths.map((path) => (path.split('/')[1] ?? '').replace('.ts', '')))].sort().join(', ');
      return [[module.replace('compiler/', ''), shown(whole), shown(others)]];
    });
    const written = table.split('\n').map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
    expect(written.sort()).toEqual(rows.sort());
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
          /^compiler\/(?:assets\.ts|commands\/|write\/|database\/(?:disk-cache|pack-postgres|packed-postgres)\.ts)/.test(
            path,
          ),
      ),
    ).toEqual([]);
  });

  test('what makes the output knows no clock, environment or chance', () => {
    const pure = compiler.filter(
      ({ path }) =>
        !/^compiler\/(?:cli\.ts|commands\/|database\/|dev\/|local\/|testing\/|write\/|assets\.ts)/.test(path),
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
          (connects.test(path) && connecting.includes(target)),
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
        expect(target, path).toMatch(
          /^runtime\/(?:sql\/jdbc-[\w-]+|validate\/(?:linear-pattern|pattern-[\w-]+))\.ts$/,
        );
        seen.add(target);
      }
    }
  });

  test('the runtime imports only packages that a service can have', () => {
    const allowed = [
      'axios',
      'croner',
      'express',
      'knex',
      'multer',
      'mysql2',
      'mysql2/promise',
      'pg',
      'pino',
    ];
    expect(
      forbidden(runtime, (_, target) => /^(?:runtime\/|node:)/.test(target) || allowed.includes(target)),
    ).toEqual([]);
  });
});

/** The first cycle that each file is on. */
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
