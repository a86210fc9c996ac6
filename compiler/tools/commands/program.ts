/** Defines the command line of apikiln. Each command is in a file of the same name, loaded when the command runs. */
import { Command } from 'commander';
import { addBuildCommands } from './build-commands.js';
import type { RunCommand } from './shared/command-options.js';
import { addEditorCommands } from './editor-commands.js';
import { readVersion } from './shared/files/package-folder.js';
import { addReviewCommands } from './review-commands.js';
import { addRunCommands } from './run-commands.js';

export function program(run: RunCommand): Command {
  const apikiln = new Command('apikiln')
    .description('Compiles one config.yaml to a readable, self-contained TypeScript service.')
    .usage('<command> [options]')
    .version(readVersion(), '-V, --version', 'print the version')
    .option('--no-color', 'print plain text, even on a terminal')
    .configureHelp({ subcommandTerm })
    .helpOption('-h, --help', 'print this help; after a command, print the help of the command')
    .helpCommand('help [topic]', 'print the help of a command, or a page of the documents')
    .showHelpAfterError('Try: apikiln --help')
    .addHelpText('after', `\n${examples}\n\n${statuses}`);

  // Commands in help order.
  addBuildCommands(apikiln, run);
  addRunCommands(apikiln, run);
  addReviewCommands(apikiln, run);
  addEditorCommands(apikiln, run);
  return apikiln;
}

/** A command in the list of all, with its first argument and those that it requires: the list has one line for each. */
function subcommandTerm(command: Command): string {
  const listed = command.registeredArguments.filter(({ required }, index) => required || index === 0);
  const words = listed.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
  return [command.name(), ...(command.options.length > 0 ? ['[options]'] : []), ...words].join(' ');
}

const examples = `Examples:
  apikiln init tasks                   write a new service to the folder 'tasks'
  apikiln dev                          run ./config.yaml, and reload it after every change
  apikiln token users --sub 1          print a token that the running dev accepts
  apikiln check                        report errors and warnings of ./config.yaml
  apikiln build                        write the service to the folder 'service'
  apikiln build --check                check that the folder matches the configuration
  apikiln serve                        compile ./config.yaml and run the service
  apikiln test                         run the tests of ./config.test.yaml
  apikiln explain 'GET /news/{id}'     print the steps, the SQL and the responses of an operation
  apikiln explain unknown-field        print the meaning of a diagnostic
  apikiln diff old.yaml config.yaml    print changes that break clients, and changes of SQL
  apikiln audit --fail-on medium       print risks, and exit with 1 if one is medium or high
  apikiln openapi --out openapi.json   write a first API description
  apikiln schema > schema.json         let an editor check and complete the configuration
  apikiln help expressions             print a page of the documents; 'topics' lists the pages, and
                                       any other word searches them`;

const statuses = `Exit status:
  0  success
  1  errors in the configuration, files that would be overwritten, a failed test or a low coverage
     (test), a change that breaks clients (diff), or a risk of the severity of --fail-on or worse
     (audit)
  2  wrong use of the command
  3  a folder that differs from the output of a build (build --check)
  4  a file or folder that cannot be read or written, or a database that cannot be queried
  5  a bug in apikiln: please report it`;
