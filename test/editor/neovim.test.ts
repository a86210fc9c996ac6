/** `apikiln lsp` in a real editor: headless Neovim with the set-up of the reference. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readDocument } from '../documents/code-blocks.js';
import { programPaths } from '../helpers/install.js';
import { repository } from '../helpers/service-fixture.js';
import { builtTool } from '../helpers/shared-servers.js';
import { languageServer } from './language-client.js';

const text = `specification: "1.0"
operations:
  GET /news/{id}:
    fulfillments:
      - name: news
        type: READ
        datasource: newsdb
        instructions:
          - query: SELECT id, title FROM news WHERE id = :[PARAM(id)]
    responses:
      - name: ok
        default: true
        statuscode: 200
        schema:
          title: VALUE(nwes, $.title)
datasources:
  newsdb: { type: db, url: 'jdbc:postgresql://localhost/news' }
`;

test('the set-ups of the reference download no package when a file is opened', () => {
  const { blocks } = readDocument('docs/reference/editors.md');
  const commands = blocks.flatMap(({ text: block }) =>
    block.split('\n').filter((line) => /\bapikiln\b.*\blsp\b/.test(line)),
  );
  expect(commands).toHaveLength(2);
  for (const line of commands) expect(line).toMatch(/["']--no["'], ["']apikiln["'], ["']lsp["']/);
});

test('Neovim shows diagnostics, completes, finds definitions and renames', async () => {
  await builtTool();
  const folder = mkdtempSync(join(tmpdir(), 'apikiln-neovim-'));
  try {
    const file = join(folder, 'config.yaml');
    writeFileSync(file, text);
    const script = join(repository, 'test/editor/neovim.lua');
    const page = join(folder, 'page.lua');
    const { blocks } = readDocument('docs/reference/editors.md');
    writeFileSync(page, blocks.find(({ language }) => language === 'lua')?.text ?? '');
    // `npx` runs the program that is installed in the project.
    const [program, ...args] = languageServer.slice(0, -1).map((word) => `'${word}'`);
    mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
    writeFileSync(
      join(folder, 'node_modules/.bin/apikiln'),
      `#!/bin/sh\nexec ${program ?? ''} ${args.join(' ')} "$@"\n`,
      { mode: 0o755 },
    );
    const env = {
      ...process.env,
      HOME: folder,
      XDG_STATE_HOME: folder,
      XDG_CACHE_HOME: folder,
      APIKILN_PAGE: page,
      APIKILN_FILE: file,
      APIKILN_LINE: String(text.split('\n').findIndex((line) => line.includes('nwes'))),
    };
    const { stdout } = await neovim(script, env);
    const found = JSON.parse(stdout) as Record<'codes' | 'labels', string[]> & {
      left: number;
      definition: number;
      text: string;
    };
    expect(found.codes).toContain('unknown-fulfillment');
    expect(found.left).toBe(0);
    expect(found.labels).toEqual(expect.arrayContaining(['id', 'title']));
    expect(found.definition).toBe(text.split('\n').findIndex((line) => line.includes('- name: news')));
    expect(found.text.trimEnd()).toBe(
      text.replace('- name: news', '- name: articles').replace('nwes', 'articles').trimEnd(),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const requirement = {
  programs: ['nvim'],
  debianPackage: 'neovim',
  missing: 'The tests need Neovim: install it so that `nvim` is in PATH, e.g. `apt-get install neovim`.',
};

/** Runs the script and exits, even if the script fails. */
function neovim(script: string, env: NodeJS.ProcessEnv): Promise<{ stdout: string }> {
  const program = programPaths(requirement).get('nvim') ?? '';
  const args = ['--headless', '--clean', '-n', '-S', script, '-c', 'qall!'];
  return promisify(execFile)(program, args, { env, timeout: 280_000 });
}
