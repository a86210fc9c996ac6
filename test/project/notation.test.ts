/**
 * Text enters a notation only through its writer: other files do not create the type of written strings, and only few call functions that
 * trust a string.
 */
import { expect, test } from 'vitest';
import { sourcesBelow } from './sources.js';

const others = sourcesBelow('compiler').filter(({ path }) => !path.startsWith('compiler/notation/'));

/** The files that match the pattern. */
function filesWith(pattern: RegExp): string[] {
  return others.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

test('no file outside of the writers makes a written string of another string', () => {
  expect(filesWith(/\bas (?:unknown as )?(?:Written|Shown)\b|\basWritten\b|\btagOf\b/)).toEqual([]);
});

test('whole files are copied in these places only: templates of the package, and files of the user', () => {
  expect(filesWith(/\bcopied\(/)).toEqual([
    'compiler/generate/assets.ts',
    'compiler/generate/emit/emit.ts',
    'compiler/generate/emit/service/readme.ts',
    'compiler/generate/write/own-packages.ts',
    'compiler/tools/commands/init/init-description.ts',
    'compiler/tools/commands/init/init-third-party.ts',
    'compiler/tools/commands/shared/owner/own-files.ts',
    'compiler/tools/commands/test-update.ts',
    'compiler/tools/init/starter.ts',
    'compiler/tools/init/tables/loadable-schema.ts',
  ]);
});

test('sentences of the documentation of fields and functions are Markdown as they are', () => {
  expect(filesWith(/\bmarkdown\.documentation\(/)).toEqual([
    'compiler/tools/editor/complete-key.ts',
    'compiler/tools/editor/complete.ts',
    'compiler/tools/editor/function-docs.ts',
    'compiler/tools/editor/hover.ts',
  ]);
});

test('the code of modules is that of the printer, and of the formatter', () => {
  expect(filesWith(/\bmoduleCode\(/)).toEqual([
    'compiler/generate/code/print.ts',
    'compiler/generate/emit/client/client-module.ts',
    'compiler/generate/emit/emit.ts',
  ]);
});

test('SQL of a catalogue comes from the catalogue', () => {
  expect(filesWith(/\bofCatalogue\(/)).toEqual([
    'compiler/analyze/database/read-mysql-tables.ts',
    'compiler/analyze/database/read-postgres-tables.ts',
  ]);
});

/** Template strings that insert a name into a comment, Markdown or SQL without its writer. */
const rawNames = [
  /(?<=[`\n])\s*(?:#|--) ?\$\{(?!(?:yaml|environment)\.comment\()/,
  /\*\*\$\{(?!markdown\.)/,
  /(?<!\b(?:sql|expression))`(?:SELECT|INSERT|UPDATE|DELETE|WHERE|FROM|ORDER BY|LIMIT|CASE|coalesce)\b[^`]*\$\{/,
  /:\[\$\{/,
];

test('init and the README write names through writers', () => {
  const files = others.filter(({ path }) =>
    /^compiler\/tools\/(?:init|commands\/init)\/|\/readme\.ts$/.test(path),
  );
  expect(files.length).toBeGreaterThan(40);
  for (const pattern of rawNames)
    expect(files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([]);
  const raw = ['`  # ${name} is left out`', '`Table **${name}**`', '`SELECT ${name}`', '`x = :[${value}]`'];
  expect(raw.map((text) => rawNames.some((pattern) => pattern.test(text)))).toEqual([true, true, true, true]);
});

test('these files write files, and only the terminal writes standard output', () => {
  expect(filesWith(/\b(?:writeFileSync|writeSync|createWriteStream|writeFile)\(/)).toEqual([
    'compiler/analyze/database/disk-cache.ts',
    'compiler/generate/write/folder.ts',
    'compiler/tools/commands/dev/dev-contact.ts',
    'compiler/tools/commands/dev/dev-folder.ts',
    'compiler/tools/commands/dev/dev-stubs.ts',
    'compiler/tools/commands/fix-file.ts',
    'compiler/tools/commands/init/init.ts',
    'compiler/tools/commands/openapi.ts',
    'compiler/tools/commands/shared/folder/lock-folder.ts',
    'compiler/tools/commands/shared/folder/serve-folder.ts',
    'compiler/tools/commands/shared/folder/write-resolver.ts',
    'compiler/tools/commands/test-update.ts',
    'compiler/tools/create/create.ts',
  ]);
  expect(filesWith(/\b(?:stdout|stderr)\.write\(/)).toEqual([
    'compiler/cli.ts',
    'compiler/tools/commands/shared/output/terminal.ts',
    'compiler/tools/create/create.ts',
  ]);
});

test('a string that is not written does not compile as one', () => {
  const forbidden = "terminal.print(name as Shown); joined([text as unknown as Written<'yaml'>], '');";
  expect(/\bas (?:unknown as )?(?:Written|Shown)\b/.test(forbidden)).toBe(true);
});
