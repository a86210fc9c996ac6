/** A change of accepted content types is seen with a compilation cache, although the API description stays the same. */
import { expect, test } from 'vitest';
import { compile } from '../../compiler/compile.js';
import { CompilationCache } from '../../compiler/generate/emit/compilation-cache.js';
import { assets } from '../emit/compile-text.js';

const type = (name: string): object => ({
  schema: { type: 'object', required: [name], properties: { [name]: { type: 'string' } } },
});
const content = { 'application/vnd.one+json': type('one'), 'application/vnd.two+json': type('two') };
const description = {
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1' },
  paths: {
    '/notes': { post: { requestBody: { content }, responses: { 204: { description: 'stored' } } } },
  },
};

const inputOf = (contentTypes: readonly string[]) => ({
  config: {
    path: 'config.yaml',
    text: JSON.stringify({
      specification: '1.0',
      operations: {
        'POST /notes': { contentTypes, responses: [{ name: 'ok', default: true, statuscode: 204 }] },
      },
    }),
  },
  description: { source: { path: 'api.json', text: JSON.stringify(description) }, read: () => undefined },
});

test('each content type has its schema', async () => {
  const cache = new CompilationCache();
  for (const one of ['one', 'two', 'one']) {
    const input = inputOf([`application/vnd.${one}+json`]);
    const { files } = await compile(input, assets, cache);
    const api = files?.find(({ path }) => path === 'src/api.ts')?.text;
    expect(api).toContain(`${one}: required(string())`);
    expect(files).toEqual((await compile(input, assets)).files);
  }
});
