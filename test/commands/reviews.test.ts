/** Output and exit status of `apikiln explain`, `diff` and `audit`. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configuration, Workspace, wrongConfiguration } from './workspace.js';

let space: Workspace;

beforeEach(() => {
  space = new Workspace();
});

afterEach(() => {
  space.remove();
});

describe('explain', () => {
  beforeEach(() => {
    space.write('config.yaml', configuration('GET /news', 'POST /news'));
  });

  test('without an operation lists all of them', async () => {
    expect(await space.run('explain')).toEqual({
      status: 0,
      stdout: 'GET /news   1 step, newsdb: 1 round trip\nPOST /news  1 step, newsdb: 1 round trip\n',
      stderr: '',
    });
  });

  test('letter case and spaces of the name do not matter', async () => {
    const { status, stdout } = await space.run('explain', 'get  /news');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^GET \/news {2}\(Syntax A\)\n/);
  });

  test('finds the configuration by --config', async () => {
    space.write('other/my.yaml', configuration('GET /kilns'));
    const { stdout } = await space.run('explain', '--config', 'other/my.yaml');
    expect(stdout).toMatch(/^GET \/kilns /);
  });

  test('suggests a near name', async () => {
    expect(await space.run('explain', 'GET /nws')).toEqual({
      status: 2,
      stdout: '',
      stderr:
        "There is no operation 'GET /nws', and no diagnostic with that code. Did you mean 'GET /news'?\n",
    });
  });

  test('prints how to list them if no name is near', async () => {
    const { stderr } = await space.run('explain', 'something else');
    expect(stderr).toBe(
      "There is no operation 'something else', and no diagnostic with that code. Without an argument, explain lists all operations.\n",
    );
  });

  test('as JSON, one object, of an operation as of all', async () => {
    const one = await space.run('explain', 'GET /news', '--format', 'json');
    expect(JSON.parse(one.stdout)).toMatchObject({ operation: 'GET /news', access: 'anyone' });
    const all = await space.run('explain', '--format', 'json');
    expect(JSON.parse(all.stdout)).toMatchObject({ operations: [{ operation: 'GET /news' }, {}] });
    const none = await space.run('explain', 'GET /nws', '--format', 'json');
    expect(JSON.parse(none.stdout)).toMatchObject({ diagnostics: [], error: { status: 2 } });
  });

  test('a flowchart is of one operation', async () => {
    const { status, stdout } = await space.run('explain', 'GET /news', '--format', 'mermaid');
    expect({ status, first: stdout.split('\n')[0] }).toEqual({ status: 0, first: 'flowchart TD' });
    const without = await space.run('explain', '--format', 'mermaid');
    expect(without).toMatchObject({ status: 2, stdout: '' });
  });
});

describe('a configuration with errors', () => {
  test.each([['explain', 'GET /news'], ['audit'], ['diff', 'config.yaml', 'config.yaml']])(
    'ends %s with its diagnostics',
    async (...args) => {
      space.write('config.yaml', wrongConfiguration);
      const { status, stdout, stderr } = await space.run(...args);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toContain('[unknown-fulfillment]');
      expect(stderr).not.toContain('[response-never-used]');
      const json = await space.run(...args, '--format', 'json');
      expect(JSON.parse(json.stdout)).toMatchObject({ diagnostics: [{ code: 'unknown-fulfillment' }] });
      expect(json.stdout + stderr).not.toContain('hunter2');
    },
  );
});

describe('diff', () => {
  beforeEach(() => {
    space.write('old/config.yaml', configuration('GET /news', 'GET /kilns'));
    space.write('new/config.yaml', configuration('GET /news', 'GET /pots'));
  });

  test('of folders, with status 1 where something breaks clients', async () => {
    const { status, stdout, stderr } = await space.run('diff', 'old', 'new');
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(stdout).toContain('Breaks clients (1)\n  GET /kilns: it was removed\n');
    expect(stdout).toContain('Does not break clients (1)\n  GET /pots: it is new\n');
    const json = await space.run('diff', 'old', 'new', '--format', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({ breaking: [{}], compatible: [{}], sent: [{}, {}] });
    const markdown = await space.run('diff', 'old', 'new', '--format', 'markdown');
    expect(markdown.stdout).toContain('GET /kilns');
    expect([json.status, markdown.status]).toEqual([1, 1]);
  });

  test('of files, with status 0 where nothing does', async () => {
    expect(await space.run('diff', 'old/config.yaml', 'old')).toEqual({
      status: 0,
      stdout: 'Nothing changes for clients or in what is sent.\n',
      stderr: '',
    });
  });

  test('a missing file is reported', async () => {
    const { status, stderr } = await space.run('diff', 'old', 'none');
    expect(status).toBe(4);
    expect(stderr).toContain('none');
  });
});

describe('audit', () => {
  test('fails for risks of --fail-on and worse', async () => {
    space.write('config.yaml', configuration('GET /news'));
    expect(await space.run('audit')).toMatchObject({ status: 0, stderr: '' });
    const { status, stdout } = await space.run('audit', '--fail-on', 'medium');
    expect(status).toBe(1);
    expect(stdout).toContain("The password of 'newsdb' is written in the configuration. [written-secret]");
    expect(stdout).not.toContain('hunter2');
  });

  test('a severity that there is not is a usage error', async () => {
    expect(await space.run('audit', '--fail-on', 'worst')).toMatchObject({ status: 2, stdout: '' });
  });
});
