/** Commands of apikiln as tasks of VS Code: processes with a fixed list of arguments, without a shell. */
import { relative } from 'node:path';
import {
  ProcessExecution,
  Task,
  TaskScope,
  tasks,
  Uri,
  workspace,
  type Disposable,
  type TaskDefinition,
} from 'vscode';
import { configurations, installationFor, node, type Installation } from './installed-tool.js';

/** The commands that can be run as tasks. */
export const taskCommands = ['dev', 'test', 'check', 'build'] as const;
export type TaskCommand = (typeof taskCommands)[number];

/** A task in `tasks.json`. */
interface ApikilnTask extends TaskDefinition {
  readonly command?: unknown;
  /** The path of the configuration, relative to the workspace folder. */
  readonly config?: unknown;
}

/** The task that runs a command for a configuration; undefined if apikiln is not installed. */
export function taskOf(command: TaskCommand, installation: Installation): Task | undefined {
  const { configuration, root, program } = installation;
  if (program === undefined) return undefined;
  const config = relative(root, configuration).replaceAll('\\', '/');
  const definition = { type: 'apikiln', command, config };
  const execution = new ProcessExecution(node(), [program, command, configuration], { cwd: root });
  const scope = workspace.getWorkspaceFolder(Uri.file(root)) ?? TaskScope.Workspace;
  const task = new Task(definition, scope, `${command} ${config}`, 'apikiln', execution);
  task.isBackground = command === 'dev';
  return task;
}

/** Offers the commands for every configuration in the workspace, and completes tasks of `tasks.json`. */
export function provideTasks(): Disposable {
  return tasks.registerTaskProvider('apikiln', {
    provideTasks: async () => {
      const found = await configurations();
      return found.flatMap(({ configuration, root }) => {
        const installation = installationFor(configuration, root);
        return taskCommands.flatMap((command) => taskOf(command, installation) ?? []);
      });
    },
    resolveTask: ({ definition, scope }: Task) => {
      const { command, config = 'config.yaml' } = definition as ApikilnTask;
      const known = taskCommands.find((one) => one === command);
      if (known === undefined || typeof config !== 'string' || typeof scope !== 'object') return undefined;
      const { fsPath } = Uri.joinPath(scope.uri, config);
      const task = taskOf(known, installationFor(fsPath, scope.uri.fsPath));
      // VS Code runs a resolved task only if it has the definition that it had before.
      return task && new Task(definition, scope, task.name, task.source, task.execution);
    },
  });
}
