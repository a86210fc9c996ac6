/** `check --fix` removes `settings.features` in every notation, and leaves the rest of the file unchanged. */
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { checkSource } from '../../compiler/compile.js';
import { CompilationCache } from '../../compiler/generate/emit/compilation-cache.js';
import type { Diagnostic } from '../../compiler/read/diagnostics/diagnostic.js';
import { withEdits } from '../../compiler/read/diagnostics/apply-fixes.js';

const head = 'specification: "1.0"\noperations: {}\n';

function found(text: string, cache?: CompilationCache): Diagnostic | undefined {
  const { diagnostics } = checkSource({ config: { path: 'config.yaml', text } }, cache);
  return diagnostics.find(({ code }) => code === 'deprecated-field');
}

function fixed(text: string): string {
  const { fix } = found(text) ?? {};
  return fix?.isSafe === true ? withEdits(text, fix.edits) : 'not fixed';
}

test.each([
  [
    'in one line',
    `${head}settings:\n  features: [cors]\n  debug: true\n`,
    `${head}settings:\n  debug: true\n`,
  ],
  [
    'as the last one, with a comment',
    `${head}settings:\n  debug: true\n  features: [cors] # for the shop\n`,
    `${head}settings:\n  debug: true\n`,
  ],
  [
    'as a list, before a line without content',
    `${head}settings:\n  features:\n  - cors\n  - workers # two\n\n  debug: true\n`,
    `${head}settings:\n\n  debug: true\n`,
  ],
  ['without a value', `${head}settings:\n  debug: true\n  features:\n`, `${head}settings:\n  debug: true\n`],
  [
    'at the end of the file',
    `${head}settings:\n  debug: true\n  features: [cors]`,
    `${head}settings:\n  debug: true\n`,
  ],
  [
    'with Windows line ends',
    `${head}settings:\n  debug: true\n  features: [cors]\n`.replaceAll('\n', '\r\n'),
    `${head}settings:\n  debug: true\n`.replaceAll('\n', '\r\n'),
  ],
  ['as the only setting', `${head}\nsettings:\n  features: [cors]\n`, head],
  [
    'as the only setting, before another section',
    `${head}\nsettings:\n  features: [cors]\n\ndatasources: {}\n`,
    `${head}\ndatasources: {}\n`,
  ],
  [
    'as the only setting, with the comment of `init`',
    `${head}\nsettings:\n  # For the health check of the image, and metrics.\n  features:\n    - management\n`,
    head,
  ],
  [
    'as the only setting, with a comment of the user',
    `${head}settings:\n  # debug: true\n  features: [cors]\n`,
    `${head}settings:\n  # debug: true\n`,
  ],
  [
    'in braces, as the first one',
    `${head}settings: { features: [cors], debug: true }\n`,
    `${head}settings: { debug: true }\n`,
  ],
  [
    'in braces, as the last one',
    `${head}settings: {debug: true, features: [cors]}\n`,
    `${head}settings: {debug: true}\n`,
  ],
  ['in braces, as the only setting', `${head}settings: { features: [] }\n`, head],
  [
    'in braces over several lines',
    `${head}settings: {\n  features: [cors, workers],\n  debug: true,\n}\n`,
    `${head}settings: {\n  debug: true,\n}\n`,
  ],
  [
    'in braces with a comment',
    `${head}settings: {\n  debug: true, # here\n  features: [cors]\n}\n`,
    `${head}settings: {\n  debug: true, # here\n  \n}\n`,
  ],
  [
    'as JSON',
    '{"specification": "1.0", "settings": {"features": ["cors"]}, "operations": {}}',
    '{"specification": "1.0", "operations": {}}',
  ],
  [
    'as JSON over several lines',
    '{\n  "specification": "1.0",\n  "operations": {},\n  "settings": {\n    "features": ["cors"]\n  }\n}\n',
    '{\n  "specification": "1.0",\n  "operations": {}\n}\n',
  ],
])('%s', (_, text, expected) => {
  expect(fixed(text)).toBe(expected);
  expect(found(expected)).toBeUndefined();
  const { settings = {} } = parse(text.replaceAll('\r', '')) as { settings?: object };
  const others = Object.entries(settings).filter(([name]) => name !== 'features');
  expect(Object.entries((parse(expected) as { settings?: object | null }).settings ?? {})).toEqual(others);
});

test.each([
  ['an anchor', `${head}x-list: &list [cors]\nsettings: { features: *list, debug: true }\n`],
  ['an anchor in it', `${head}settings:\n  features: &list [cors]\nx-list: *list\n`],
  ['a merged map', `${head}x-all: &all { features: [cors] }\nsettings: { <<: *all, debug: true }\n`],
  ['an unusual form', `${head}settings:\n  debug: true\n  ? features\n  : [cors]\n`],
])('is not removed by itself with %s', (_, text) => {
  expect(found(text)).toMatchObject({ severity: 'warning' });
  expect(fixed(text)).toBe('not fixed');
});

test('the fix moves with the text above it', () => {
  const cache = new CompilationCache();
  const text = (path: string): string =>
    `specification: "1.0"\noperations:\n  GET ${path}:\n    responses: [{ name: ok, default: true, statuscode: 204 }]\nsettings:\n  features: [cors]\n  debug: true\n`;
  for (const path of ['/a', '/another', '/b']) {
    const { fix } = found(text(path), cache) ?? {};
    expect(withEdits(text(path), fix?.edits ?? [])).toBe(text(path).replace('  features: [cors]\n', ''));
  }
});
