/** Commands for shells and editors, with their options: completion, lsp, mcp, schema. */
import { json } from '../../notation/json-writer.js';
import { screen } from '../../notation/screen-writer.js';
import { Argument, Option, type Command } from 'commander';
import { command, type RunCommand } from './shared/command-options.js';
import type { Shell } from './completion.js';
import type { McpOptions } from './mcp/mcp.js';
import { exitStatus } from './shared/output/exit-status.js';

export function addEditorCommands(apikiln: Command, run: RunCommand): void {
  command(apikiln, 'completion', '<shell>', {
    summary: 'print a script that completes commands and options in a shell',
    description:
      'Prints a script to run in the shell. bash: eval "$(apikiln completion bash)" in ~/.bashrc; zsh: the same with zsh in ~/.zshrc, after compinit; fish: apikiln completion fish > ~/.config/fish/completions/apikiln.fish',
  })
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action((shell: Shell) =>
      run(async (terminal) => {
        const { completionScript } = await import('./completion.js');
        terminal.print(screen.lines(completionScript(shell, apikiln).trimEnd()));
        return exitStatus.fine;
      }),
    );

  command(apikiln, 'lsp', '[options]', {
    summary: 'run a language server for editors',
    description:
      'Serves editors with the language server protocol on standard input and output: diagnostics and fixes while you type, completion, signature help, hover, definitions, references, highlights, rename, symbols, folding and formatting of expressions.',
  })
    .option('--stdio', 'use standard input and output (the default)')
    .action(() =>
      run(async () => {
        const { lsp } = await import('./lsp/lsp.js');
        return lsp();
      }),
    );

  command(apikiln, 'mcp', '[url] [options]', {
    summary: 'run an MCP server for assistants with language models',
    description:
      'Serves assistants with the Model Context Protocol on standard input and output. Offers the tools of a running service, whose endpoint receives each message. With --author, offers check, explain, help and test for configurations in the current folder.',
  })
    .argument('[url]', 'the endpoint of the service (default: http://localhost:8080/mcp)')
    .option('--author', 'offer the tools of apikiln to an assistant that writes configurations')
    .addHelpText(
      'after',
      `
Environment variables:
  MCP_CREDENTIALS  the header with credentials for the service, such as the output of
                   apikiln token users --header
  PORT             the port of the default endpoint (8080)`,
    )
    .action((url: string | undefined, options: McpOptions) =>
      run(async ({ folder }) => (await import('./mcp/mcp.js')).mcp(url, options, folder, process)),
    );

  command(apikiln, 'schema', '[options]', {
    summary: 'print the JSON schema of configurations, included files or test files',
    description:
      'Prints the JSON schema of configurations, of included files or of test files. Editors check and complete YAML with it: # yaml-language-server: $schema=apikiln.schema.json',
  })
    .addOption(new Option('--included', 'print the JSON schema of included files instead').conflicts('tests'))
    .option('--tests', 'print the JSON schema of test files instead')
    .action(({ included, tests }: { readonly included?: boolean; readonly tests?: boolean }) =>
      run(async (terminal) => {
        const { includedJsonSchema, jsonSchema } = await import('../editor/json-schema.js');
        const schema =
          tests === true
            ? (await import('../testing/read/test-schema.js')).testJsonSchema()
            : included === true
              ? includedJsonSchema()
              : jsonSchema();
        terminal.print(screen.document(json.value(schema, 2)));
        return exitStatus.fine;
      }),
    );
}
