/** User code with `build` and `serve`: a stub that is written once, files that are not called, and types that follow the configuration. */
import { execFileSync, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Confined } from '../deployment/confined.js';
import { builtTool } from '../helpers/shared-servers.js';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
  space.write('config.yaml', configuration());
});

afterEach(() => {
  space.remove();
});

/** A configuration that does not need a database. */
function configuration({
  called = 'greet',
  input = 'PARAM(name)',
  returns = '{ type: string }',
} = {}): string {
  return `specification: '1.0'
operations:
  GET /greeting:
    fulfillments:
      - name: greeting
        type: CODE
        function: ${called}
        input: ${input}
        returns: ${returns}
    responses: [{ name: ok, default: true, statuscode: 200, schema: { greeting: 'VALUE(greeting, $)' } }]
`;
}

const file = 'out/src/code/greet.ts';
const mine = `import type { GreetInput, GreetResult } from '../functions.js';

export function greet(name: GreetInput): GreetResult {
  return \`Hello \${String(name)}\`;
}
`;

describe('build', () => {
  test('writes the stub once, and again where it is missing', async () => {
    expect((await space.build()).stderr).toMatch(/^out: \d+ added\n$/);
    expect(space.read(file)).toContain("throw fail(501, 'greet is not written yet')");
    space.write(file, mine);
    expect((await space.build()).stderr).toBe('out: nothing to change\n');
    expect(space.read(file)).toBe(mine);
    await space.build({ force: true });
    expect(space.read(file)).toBe(mine);
  });

  test('--check names a function without a file', async () => {
    await space.build();
    expect(await space.build({ check: true })).toMatchObject({ status: 0 });
    rmSync(space.path(file));
    expect(await space.build({ check: true })).toMatchObject({
      status: 3,
      stdout: 'added src/code/greet.ts\n',
      stderr: 'out differs from the output of a build. Build it again.\n',
    });
    expect((await space.build()).stderr).toBe('out: 1 added\n');
  });

  test('another input and another result change the types, and not the function', async () => {
    await space.build();
    space.write(file, mine);
    space.write(
      'config.yaml',
      configuration({ input: '{ name: PARAM(name) }', returns: '{ type: boolean }' }),
    );
    const { status, stdout } = await space.build({ check: true });
    expect(status).toBe(3);
    expect(stdout).toContain('changed src/functions.ts\n');
    expect(stdout).not.toContain('src/code');
    await space.build();
    expect(space.read(file)).toBe(mine);
    expect(space.read('out/src/functions.ts')).toMatch(/GreetResult = boolean;/);
  });

  test('names the files that nothing calls: of a misspelt name, and of a function that has another name now', async () => {
    await space.build();
    space.write('out/src/code/gret.ts', mine);
    space.write('out/src/code/words.ts', 'export const word: string = "Hello";\n');
    space.write(file, `import { word } from './words.js';\n${mine}`);
    const nothing = (names: string): string =>
      `Nothing calls ${names}: no fulfillment names the function, and no file of yours imports it.\n`;
    expect((await space.build()).stderr).toBe(`${nothing('src/code/gret.ts')}out: nothing to change\n`);
    expect((await space.build({ quiet: true })).stderr).toBe('');
    space.write('config.yaml', configuration({ called: 'welcome' }));
    expect((await space.build()).stderr).toBe(
      `${nothing('src/code/greet.ts, src/code/gret.ts')}out: 1 added, 3 changed\n`,
    );
    expect(space.exists(file)).toBe(true);
  });
});

describe('TypeScript is loaded', () => {
  /** Whether a command has loaded the module when it exits. */
  async function isLoadedBy(...args: readonly string[]): Promise<boolean> {
    const probe = `data:text/javascript,${encodeURIComponent(
      `import { createRequire } from 'node:module';
      process.on('exit', () => {
        const loaded = Object.keys(createRequire(${JSON.stringify(import.meta.url)}).cache);
        console.log('loaded: ' + loaded.some((path) => path.includes('/ts-morph/')));
      });`,
    )}`;
    const stdout = execFileSync(process.execPath, ['--import', probe, await builtTool(), ...args], {
      cwd: space.folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [, isLoaded] = /^loaded: (true|false)$/m.exec(stdout) ?? [];
    expect(isLoaded).toBeDefined();
    return isLoaded === 'true';
  }

  test('by a check where user code names the context, and by nothing where there is none of it', async () => {
    expect(await isLoadedBy('build')).toBe(false);
    expect(await isLoadedBy('check')).toBe(false);
    space.write(
      'service/src/app.ts',
      "import { contextOf } from './context.js';\nexport const app = contextOf;\n",
    );
    expect(await isLoadedBy('check')).toBe(true);
  });
});

describe('code with mistakes', () => {
  test('stops neither check nor build', async () => {
    await space.build();
    space.write(file, "import { fail } from '@apikiln/runtime';\nexport function greet( {\n");
    space.write('out/src/middleware.ts', "import './context.js';\nrequest.headers['x-a' = `${;\n");
    expect(await space.build()).toMatchObject({ status: 0 });
    expect(space.exists('out/src/context.ts')).toBe(true);
  });
});

describe('serve', () => {
  async function serve(): Promise<{ service: Confined; url: string }> {
    const args = [await builtTool(), 'serve', '--port', '0', '--out', 'out'];
    const env = { PATH: process.env['PATH'], TMPDIR: space.folder, HOST: '127.0.0.1' };
    const service = new Confined(
      spawn(process.execPath, args, { cwd: space.folder, env, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
    const [, port = ''] = await service.until(/listening on http:\/\/\S+:(\d+)/);
    return { service, url: `http://127.0.0.1:${port}/greeting?name=ada` };
  }

  test('runs the function of the folder, and responds with 501 where it has none', async () => {
    await space.build();
    for (const [text, status, body] of [
      [mine, 200, { greeting: 'Hello ada' }],
      [undefined, 501, { message: 'greet is not written yet' }],
    ] as const) {
      if (text === undefined) rmSync(space.path(file));
      else space.write(file, text);
      const { service, url } = await serve();
      try {
        const response = await fetch(url);
        expect([response.status, await response.json()]).toEqual([status, body]);
      } finally {
        service.child.kill();
        await service.ended;
      }
    }
  });
});
