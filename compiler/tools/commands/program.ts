/** The command line of apikiln; what a command does is in the file of its name, loaded when it is run. */
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

const examples = `Examples:
  apikiln init tasks                   write a new service to the folder 'tasks'
  apikiln dev                          run ./config.yaml, and reload it after every change
  apikiln check                        what is wrong with ./config.yaml?
  apikiln build                        write the service to the folder 'service'
  apikiln build --check                does the folder match the configuration?
  apikiln serve                        compile ./config.yaml and run the service
  apikiln test                         run the tests of ./config.test.yaml
  apikiln explain 'GET /news/{id}'     what does this operation send and return?
  apikiln explain unknown-field        what does this diagnostic mean?
  apikiln diff old.yaml config.yaml    what breaks clients, and which SQL changes?
  apikiln audit --fail-on medium       which risks need a decision?
  apikiln openapi --out openapi.json   write an API description to begin with
  apikiln schema > schema.json         let an editor check and complete the configuration
  apikiln help expressions             read a page of the documents; topics lists them, and any
                                       other word finds the pages that have it`;

const statuses = `Exit status:
  0  fine
  1  the configuration has errors, files are in the way, (test) a test failed or too little is
     covered, (diff) something breaks clients, or (audit) there is a risk of the severity that
     --fail-on names
  2  wrong use of the command
  3  build --check: the folder differs from what a build would write
  4  a file or folder cannot be read or written, or a database cannot be asked
  5  a bug in apikiln: please report it`;
