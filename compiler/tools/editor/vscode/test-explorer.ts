/** The tests of configurations in VS Code's test explorer. */
import { spawn } from 'node:child_process';
import { basename, dirname, join, resolve } from 'node:path';
import {
  Location,
  Position,
  Range,
  TestMessage,
  TestRunProfileKind,
  tests,
  Uri,
  workspace,
  type CancellationToken,
  type Disposable,
  type TestController,
  type TestItem,
  type TestRun,
  type TestRunRequest,
} from 'vscode';
import { configurations, installationFor, node, type Installation } from './installed-tool.js';
import { resultsIn, testsIn, type Failure, type Result } from './read-tests.js';

export class TestExplorer {
  readonly #controller: TestController = tests.createTestController('apikiln', 'apikiln');
  /** Installations by the identifier of the item of a test file. */
  readonly #files = new Map<string, Installation>();

  constructor() {
    this.#controller.createRunProfile('Run', TestRunProfileKind.Run, (request, token) =>
      this.#run(request, token),
    );
    this.#controller.refreshHandler = () => this.refresh();
  }

  /** Watches test files until it is disposed of. */
  register(): Disposable[] {
    const watcher = workspace.createFileSystemWatcher('**/{*.test,tests/*}.{yaml,yml}');
    const refresh = (): void => void this.refresh();
    return [
      this.#controller,
      watcher,
      ...[watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete].map((event) => event(refresh)),
    ];
  }

  /** Reads the test files of all configurations in the workspace. */
  async refresh(): Promise<void> {
    const items: TestItem[] = [];
    this.#files.clear();
    for (const { configuration, root } of await configurations())
      for (const uri of await testFilesOf(configuration)) {
        const item = await this.#itemOf(uri);
        if (item === undefined) continue;
        this.#files.set(item.id, installationFor(configuration, root));
        items.push(item);
      }
    this.#controller.items.replace(items);
  }

  async #itemOf(uri: Uri): Promise<TestItem | undefined> {
    const found = testsIn(new TextDecoder().decode(await workspace.fs.readFile(uri)));
    if (found.length === 0) return undefined;
    const file = this.#controller.createTestItem(uri.toString(), workspace.asRelativePath(uri), uri);
    for (const { name, line } of found) {
      const item = this.#controller.createTestItem(`${file.id}#${name}`, name, uri);
      item.range = new Range(line, 0, line, 0);
      file.children.add(item);
    }
    return file;
  }

  async #run(request: TestRunRequest, token: CancellationToken): Promise<void> {
    const run = this.#controller.createTestRun(request);
    const chosen = request.include ?? [...this.#controller.items].map(([, item]) => item);
    for (const item of chosen) {
      const file = item.parent ?? item;
      const installation = this.#files.get(file.id);
      if (installation === undefined || token.isCancellationRequested) continue;
      const excluded = request.exclude ?? [];
      const included = (item === file ? [...file.children].map(([, child]) => child) : [item]).filter(
        (one) => !excluded.includes(one),
      );
      await runFile(run, installation, file, included, token);
    }
    run.end();
  }
}

/** `config.test.yaml` next to `config.yaml`, and the files in the folder `tests`. */
async function testFilesOf(configuration: string): Promise<Uri[]> {
  const folder = dirname(configuration);
  const name = basename(configuration).replace(/\.ya?ml$/, '');
  const beside = Uri.file(join(folder, `${name}.test.yaml`));
  const inFolder = (await entriesOf(Uri.file(join(folder, 'tests')))).filter((one) => /\.ya?ml$/.test(one));
  const isBeside = (await entriesOf(Uri.file(folder))).includes(basename(beside.fsPath));
  return [
    ...(isBeside ? [beside] : []),
    ...inFolder.sort().map((one) => Uri.file(join(folder, 'tests', one))),
  ];
}

/** The names of the files in a folder; empty if it does not exist. */
async function entriesOf(folder: Uri): Promise<string[]> {
  try {
    return (await workspace.fs.readDirectory(folder)).map(([name]) => name);
  } catch {
    return [];
  }
}

async function runFile(
  run: TestRun,
  { configuration, root, program }: Installation,
  file: TestItem,
  items: readonly TestItem[],
  token: CancellationToken,
): Promise<void> {
  for (const item of items) run.started(item);
  const path = file.uri?.fsPath ?? '';
  const [only] = items;
  const filter = items.length === 1 && only !== undefined ? [`--filter=${only.label}`] : [];
  const { stdout, stderr } =
    program === undefined
      ? { stdout: '', stderr: 'apikiln is not installed for this configuration.' }
      : await outputOf(
          [program, 'test', configuration, '--format=json', '--tests', path, ...filter],
          root,
          token,
        );
  run.appendOutput(stderr.replaceAll(/\r?\n/g, '\r\n'));
  const results = resultsIn(stdout)?.filter((result) => resolve(root, result.file) === path);
  for (const item of items) {
    const result = results?.find(({ name }) => name === item.label);
    if (result === undefined) run.errored(item, new TestMessage(stderr.trim() || 'The test was not run.'));
    else report(run, item, result);
  }
}

function report(run: TestRun, item: TestItem, { status, failures, milliseconds }: Result): void {
  if (status === 'passed') run.passed(item, milliseconds);
  else
    run.failed(
      item,
      failures.map((failure) => messageOf(failure, item.uri)),
      milliseconds,
    );
}

function messageOf({ message, step, path, line, column }: Failure, uri: Uri | undefined): TestMessage {
  const where = [step, path].filter((part) => part !== undefined).join(', ');
  const shown = new TestMessage(where === '' ? message : `${where}: ${message}`);
  if (uri !== undefined) shown.location = new Location(uri, new Position(line - 1, column - 1));
  return shown;
}

/** Ends the process if the run is cancelled. */
function outputOf(
  args: readonly string[],
  cwd: string,
  token: CancellationToken,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((settle) => {
    const child = spawn(node(), args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    const cancelled = token.onCancellationRequested(() => child.kill());
    const end = (error?: Error): void => {
      cancelled.dispose();
      settle(error === undefined ? output : { ...output, stderr: error.message });
    };
    child.once('error', end);
    child.once('close', () => {
      end();
    });
  });
}
