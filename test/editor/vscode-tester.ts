/**
 * An extension that uses the extension of apikiln through the interface of VS Code, as editors do, and writes what it has seen to the file
 * APIKILN_SEEN. A test bundles it and installs it in VS Code.
 */
import { appendFileSync } from 'node:fs';
import {
  commands,
  extensions,
  languages,
  Range,
  Selection,
  tasks,
  window,
  workspace,
  WorkspaceEdit,
  type CodeAction,
  type CompletionList,
  type Event,
  type TextDocument,
  type TextEditor,
} from 'vscode';

/** Writes a line for each observation. */
function see(name: string, value: unknown): void {
  appendFileSync(process.env['APIKILN_SEEN'] ?? '', `${JSON.stringify([name, value])}\n`);
}

/** Resolves when the condition holds, which only the event changes. */
function until(event: Event<unknown>, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!condition()) return;
      subscription.dispose();
      resolve();
    };
    const subscription = event(check);
    check();
  });
}

/** Called by VS Code after its start. */
export async function activate(): Promise<void> {
  try {
    const [uri] = await workspace.findFiles('config.yaml');
    if (uri === undefined) throw new Error('The workspace has no configuration.');
    const document = await workspace.openTextDocument(uri);
    const editor = await window.showTextDocument(document);
    await extensions.getExtension('apikiln.apikiln')?.activate();
    see('isTrusted', workspace.isTrusted);
    const all = await commands.getCommands(true);
    see('commands', all.filter((name) => name.startsWith('apikiln.')).sort());
    if (workspace.isTrusted) await use(document, editor);
    see('end', null);
  } catch (error) {
    see('error', error instanceof Error ? error.stack : error);
  }
}

async function use(document: TextDocument, editor: TextEditor): Promise<void> {
  const { uri } = document;
  const diagnostics = () => languages.getDiagnostics(uri);
  await until(languages.onDidChangeDiagnostics, () => diagnostics().length > 0);
  see(
    'diagnostics',
    diagnostics().map(({ source, code, range }) => [
      source,
      typeof code === 'object' ? code.value : code,
      range.start.line,
    ]),
  );
  const at = document.positionAt(document.getText().indexOf('nwes'));
  const wrong = new Range(at, at.translate(0, 'nwes'.length));
  const actions = await commands.executeCommand<CodeAction[]>('vscode.executeCodeActionProvider', uri, wrong);
  see(
    'actions',
    actions.map(({ title }) => title),
  );
  const edit = new WorkspaceEdit();
  edit.replace(uri, wrong, 'news');
  await workspace.applyEdit(edit);
  await until(languages.onDidChangeDiagnostics, () => diagnostics().length === 0);
  await document.save();
  const inPath = document.positionAt(document.getText().indexOf('$.title') + '$.'.length);
  const { items } = await commands.executeCommand<CompletionList>(
    'vscode.executeCompletionItemProvider',
    uri,
    inPath,
  );
  see(
    'completions',
    items.map(({ label }) => (typeof label === 'string' ? label : label.label)),
  );
  editor.selection = new Selection(at, at);
  await commands.executeCommand('apikiln.explain');
  const shown = window.visibleTextEditors.find((one) => one.document.uri.scheme === 'apikiln-explain');
  see('explained', shown?.document.getText());
  const found = await tasks.fetchTasks({ type: 'apikiln' });
  see(
    'tasks',
    found.map(({ name }) => name),
  );
  const ended = new Promise<number | undefined>((resolve) => {
    tasks.onDidEndTaskProcess(({ exitCode }) => {
      resolve(exitCode);
    });
  });
  const check = found.find(({ name }) => name.startsWith('check '));
  if (check !== undefined) await tasks.executeTask(check);
  see('exit code of check', await ended);
  await commands.executeCommand('testing.refreshTests');
  await commands.executeCommand('testing.runAll');
  await window.showTextDocument(document);
}
