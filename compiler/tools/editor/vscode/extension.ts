/** The extension for VS Code: starts the language server of the workspace, and adds commands, tasks and the test explorer. */
import { commands, tasks, window, workspace, type ExtensionContext, type TextDocument } from 'vscode';
import { Explanations } from './explain.js';
import { configurations, installationFor, installationOf, type Installation } from './installed-tool.js';
import { LanguageClients } from './language-clients.js';
import { provideTasks, taskOf, type TaskCommand } from './tasks.js';
import { TestExplorer } from './test-explorer.js';

const clients = new LanguageClients();

/** Called by VS Code when a YAML file is opened, or if the workspace has a `config.yaml`. Programs run only in trusted workspaces. */
export async function activate(context: ExtensionContext): Promise<void> {
  if (workspace.isTrusted) await watch(context);
  else context.subscriptions.push(workspace.onDidGrantWorkspaceTrust(() => void watch(context)));
}

/** Called by VS Code before it ends. */
export async function deactivate(): Promise<void> {
  await clients.stop();
}

/** Waits for the first configuration, because most YAML files are none. */
async function watch(context: ExtensionContext): Promise<void> {
  let starting: Promise<void> | undefined;
  const open = async (document: TextDocument): Promise<void> => {
    if (installationOf(document) === undefined) return;
    await (starting ??= start(context));
    await clients.open(document);
  };
  context.subscriptions.push(
    workspace.onDidOpenTextDocument((document) => void open(document)),
    // A file can become a configuration while it is edited.
    workspace.onDidSaveTextDocument((document) => void open(document)),
  );
  if ((await configurations()).length > 0) await (starting ??= start(context));
  await Promise.all(workspace.textDocuments.map(open));
}

async function start({ subscriptions }: ExtensionContext): Promise<void> {
  const explanations = new Explanations();
  const explorer = new TestExplorer();
  subscriptions.push(
    explanations.register(),
    ...explorer.register(),
    provideTasks(),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('apikiln')) void restart();
    }),
    commands.registerCommand('apikiln.dev', () => runTask('dev')),
    commands.registerCommand('apikiln.test', () => runTask('test')),
    commands.registerCommand('apikiln.explain', () => explain(explanations)),
    commands.registerCommand('apikiln.restart', restart),
  );
  // Menus show the commands only if they exist.
  await commands.executeCommand('setContext', 'apikiln.isActive', true);
  await explorer.refresh();
}

async function restart(): Promise<void> {
  await clients.stop();
  await Promise.all(workspace.textDocuments.map((document) => clients.open(document)));
}

async function runTask(command: TaskCommand): Promise<void> {
  const installation = await chosenInstallation();
  const task = installation && taskOf(command, installation);
  if (task === undefined) void window.showInformationMessage(missing(installation));
  else await tasks.executeTask(task);
}

async function explain(explanations: Explanations): Promise<void> {
  const editor = window.activeTextEditor;
  const installation = editor && installationOf(editor.document);
  if (editor === undefined || installation?.program === undefined)
    void window.showInformationMessage(missing(installation));
  else if (!(await explanations.show(editor, installation)))
    void window.showInformationMessage('Place the cursor in an operation first.');
}

/** The configuration of the active editor, otherwise of the workspace; asks if there are several. */
async function chosenInstallation(): Promise<Installation | undefined> {
  const active = window.activeTextEditor && installationOf(window.activeTextEditor.document);
  if (active !== undefined) return active;
  const all = await configurations();
  const labels = all.map(({ configuration }) => workspace.asRelativePath(configuration));
  const label = labels.length > 1 ? await window.showQuickPick(labels) : labels[0];
  const chosen = all[labels.indexOf(label ?? '')];
  return chosen && installationFor(chosen.configuration, chosen.root);
}

function missing(installation: Installation | undefined): string {
  return installation === undefined
    ? 'Open a configuration of apikiln first.'
    : `apikiln is not installed for ${installation.configuration}. Install it with "npm install --save-dev apikiln".`;
}
