/**
 * `apikiln completion`: scripts that complete commands, options and values in bash, zsh and fish, generated from the command-line
 * definition.
 */
import type { Command, Option } from 'commander';
import { topics } from './help-topic.js';
import { quotedForShell } from './shared/output/shell-word.js';

export type Shell = 'bash' | 'zsh' | 'fish';

/** Completions after a command name. */
interface Completed {
  readonly name: string;
  readonly about: string;
  readonly options: readonly CompletedOption[];
  /** Possible arguments; undefined if the argument is a path or free text. */
  readonly words: readonly string[] | undefined;
}

interface CompletedOption {
  /** Such as `-o` and `--out`. */
  readonly flags: readonly string[];
  readonly about: string;
  readonly takesValue: boolean;
  /** Possible values; undefined if the value is a path or free text. */
  readonly words: readonly string[] | undefined;
}

/** The completion script for one shell. */
export function completionScript(shell: Shell, apikiln: Command): string {
  const names = apikiln.commands.map((command) => command.name());
  const help = {
    name: 'help',
    about: 'print the help of a command, or a page of the documents',
    options: [],
    words: [...names, ...topics()],
  };
  const commands = [...apikiln.commands.map(completed), help];
  const general = [...apikiln.options.map(completedOption), helpOption];
  switch (shell) {
    case 'bash':
      return bash(commands, general);
    case 'zsh':
      return zsh(commands, general);
    case 'fish':
      return fish(commands, general);
  }
}

const helpOption: CompletedOption = {
  flags: ['-h', '--help'],
  about: 'print this help',
  takesValue: false,
  words: undefined,
};

function completed(command: Command): Completed {
  return {
    name: command.name(),
    about: command.summary(),
    options: [...command.options.filter(({ hidden }) => !hidden).map(completedOption), helpOption],
    words: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
}

function completedOption({
  short,
  long,
  description,
  required,
  optional,
  argChoices,
}: Option): CompletedOption {
  return {
    flags: [short, long].flatMap((flag) => flag ?? []),
    about: description.split(/[;:(.]/)[0]?.trim() ?? '',
    takesValue: required || optional,
    words: argChoices,
  };
}

function flagsOf(options: readonly CompletedOption[]): string {
  return options.flatMap(({ flags }) => flags).join(' ');
}

function bash(commands: readonly Completed[], general: readonly CompletedOption[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const values = commands.flatMap(({ name, options }) =>
    options.flatMap(({ flags, takesValue, words }) =>
      takesValue
        ? [
            `    ${flags.map((flag) => quotedForShell(`${name} ${flag}`)).join('|')})` +
              (words === undefined
                ? ' return ;;'
                : ` _apikiln_words ${quotedForShell(words.join(' '))}; return ;;`),
          ]
        : [],
    ),
  );
  const each = commands.map(
    ({ name, options, words = [] }) =>
      `    ${name}) options=${quotedForShell(flagsOf(options))}; words=${quotedForShell(words.join(' '))} ;;`,
  );
  return `# Completion of apikiln in bash: eval "$(apikiln completion bash)"
_apikiln_words() {
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$current")
}

_apikiln() {
  local current=\${COMP_WORDS[COMP_CWORD]} command='' options='' words='' word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      -*) ;;
      *) command=$word; break ;;
    esac
  done
  case "$command \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  case $command in
    '') options=${quotedForShell(flagsOf(general))}; words=${quotedForShell(names)} ;;
${each.join('\n')}
  esac
  case $current in
    -*) _apikiln_words "$options" ;;
    *) _apikiln_words "$words" ;;
  esac
}

# Where nothing else is known, files.
complete -o bashdefault -o default -F _apikiln apikiln
`;
}

/** Escapes brackets and colons, which have a special meaning in zsh specifications. */
function zshText(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, '\\$&');
}

function zshOption({ flags, about, takesValue, words }: CompletedOption): string[] {
  const value = !takesValue
    ? ''
    : words === undefined
      ? ':value:_files'
      : `:value:(${words.map(zshText).join(' ')})`;
  // `*` allows every option to be repeated, because the shell does not know which options may be.
  return flags.map((flag) => quotedForShell(`*${flag}[${zshText(about)}]${value}`));
}

function zsh(commands: readonly Completed[], general: readonly CompletedOption[]): string {
  const list = commands.map(({ name, about }) => `    ${quotedForShell(`${name}:${zshText(about)}`)}`);
  const each = commands.map(({ name, options, words = [] }) => {
    const rest = words.length === 0 ? `'*:file:_files'` : quotedForShell(`1:word:(${words.join(' ')})`);
    const lines = [...options.flatMap(zshOption), rest].map((line) => `        ${line}`);
    return `    ${name})\n      _arguments -s \\\n${lines.join(' \\\n')} ;;`;
  });
  return `#compdef apikiln
# Completion of apikiln in zsh: eval "$(apikiln completion zsh)"
_apikiln() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    if [[ $words[2] == -* ]]; then
      _arguments ${general.flatMap(zshOption).join(' ')}
    else
      _describe command commands
    fi
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT -= 1 ))
  case $command in
${each.join('\n')}
  esac
}
compdef _apikiln apikiln
`;
}

function fish(commands: readonly Completed[], general: readonly CompletedOption[]): string {
  const line = (condition: string, { flags, about, takesValue, words }: CompletedOption): string => {
    const written = flags.map((flag) =>
      flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
    );
    const value = !takesValue
      ? ''
      : words === undefined
        ? ' -r'
        : ` -x -a ${quotedForShell(words.join(' '))}`;
    return `complete -c apikiln -n ${condition} ${written.join(' ')}${value} -d ${quotedForShell(about)}`;
  };
  return [
    '# Completion of apikiln in fish: apikiln completion fish > ~/.config/fish/completions/apikiln.fish',
    ...general.map((option) => line('__fish_use_subcommand', option)),
    ...commands.flatMap(({ name, about, options, words = [] }) => [
      `complete -c apikiln -f -n __fish_use_subcommand -a ${name} -d ${quotedForShell(about)}`,
      ...options.map((option) => line(`'__fish_seen_subcommand_from ${name}'`, option)),
      ...(words.length === 0
        ? []
        : [
            `complete -c apikiln -f -n '__fish_seen_subcommand_from ${name}' -a ${quotedForShell(words.join(' '))}`,
          ]),
    ]),
    '',
  ].join('\n');
}
