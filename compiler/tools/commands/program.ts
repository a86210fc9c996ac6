/** The command line of apikiln; what a command does is in the file of its name, loaded when it is run. */
import { Command } from 'commander';
import { addBuildCommands } from './build-commands.js';
import type { RunCommand } from './shared/command-options.js';
import { addEditorCommands } from './editor-commands.js';
import { examples, statuses } from './help-texts.js';
import { readVersion } from './shared/package-folder.js';
import { addReviewCommands } from './review-commands.js';
import { addRunCommands } from './run-commands.js';

export function program(run: RunCommand): Command {
  const apikiln = new Command('apikiln')
    .description('Compiles one config.yaml to a readable, self-contained TypeScript service.')
    .usage('<command> [options]')
    .version(readVersion(), '-V, --version', 'print the version')
    .option('--no-color', 'plain text, also on a terminal')
    .helpOption('-h, --help', 'print this help, or after a command the help of that command')
    .helpCommand('help [topic]', 'print the help of a command, or a page of the documents')
    .showHelpAfterError('Try: apikiln --help')
    .addHelpText('after', `\n${examples}\n\n${statuses}`);

  // In the order in which the help lists them.
  addBuildCommands(apikiln, run);
  addRunCommands(apikiln, run);
  addReviewCommands(apikiln, run);
  addEditorCommands(apikiln, run);
  return apikiln;
}
