/** `apikiln completion`: the scripts in real shells, including zsh and fish if they are installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workspace } from './workspace.js';

let space: Workspace;

beforeEach(async () => {
  space = new Workspace();
  for (const shell of ['bash', 'zsh', 'fish'])
    space.write(`script.${shell}`, (await space.run('completion', shell)).stdout);
});
afterEach(() => {
  space.remove();
});

function isThere(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).status === 0;
}

describe('bash', () => {
  /** The completions of the last word. */
  function offered(...words: string[]): string[] {
    const script = `source script.bash
COMP_WORDS=(apikiln "$@"); COMP_CWORD=$#
_apikiln
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const output = execFileSync('bash', ['--noprofile', '--norc', '-c', script, 'bash', ...words], {
      cwd: space.folder,
      encoding: 'utf8',
    });
    return output.split('\n').filter((line) => line !== '');
  }

  test('commands', () => {
    expect(offered('bu')).toEqual(['build']);
    expect(offered('')).toEqual(
      expect.arrayContaining(['init', 'build', 'check', 'dev', 'test', 'completion', 'help']),
    );
    expect(offered('--no-color', 'che')).toEqual(['check']);
    expect(offered('help', 'exp')).toEqual(['explain', 'expressions']);
    expect(offered('--v')).toEqual(['--version']);
  });

  test('options of the command', () => {
    expect(offered('build', '--fo')).toEqual(['--force', '--format']);
    expect(offered('check', '--fi')).toEqual(['--fix']);
    expect(offered('check', '--ou')).toEqual([]);
    expect(offered('dev', 'config.yaml', '--po')).toEqual(['--port']);
  });

  test('values of options, and words of arguments', () => {
    expect(offered('check', '--format', '')).toEqual(['text', 'json', 'sarif', 'github']);
    expect(offered('init', '--database', 'm')).toEqual(['mysql', 'mariadb']);
    expect(offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  });

  test('files where nothing else is known, as readline does it', () => {
    space.write('config.yaml', '');
    // An interactive shell lists the completions when TAB is pressed.
    const input = 'source script.bash\napikiln check conf\t\nexit\n';
    const { stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-i'], {
      cwd: space.folder,
      encoding: 'utf8',
      input,
      env: { ...process.env, TERM: 'dumb', HISTFILE: '' },
    });
    expect(`${stdout}${stderr}`).toContain('apikiln check config.yaml');
    expect(offered('check', 'conf')).toEqual([]);
  });
});

describe.runIf(isThere('zsh'))('zsh', () => {
  test('completes commands, options, values and files', () => {
    space.write('config.yaml', '');
    space.write(
      'play.zsh',
      `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -U compinit; compinit -u -D; source script.zsh; setopt no_auto_menu; print READY'
zpty -r -m shell line '*READY*READY*'
for text in 'apikiln buil' 'apikiln check --fi' 'apikiln init --database mari' 'apikiln check conf'; do
  zpty -n -w shell "$text"$'\\t'
  sleep 2
  zpty -n -w shell $'\\x01: \\n'
  zpty -r -m shell line '*: *'
  print -r -- "$line"
  zpty -r -t shell line
  print -r -- "$line"
done
zpty -d shell
`,
    );
    const output = execFileSync('zsh', ['-f', 'play.zsh'], {
      cwd: space.folder,
      encoding: 'utf8',
      env: { ...process.env, TERM: 'dumb' },
      timeout: 60_000,
    });
    for (const whole of ['build', '--fix', 'mariadb', 'config.yaml']) expect(output).toContain(whole);
  });
});

describe.runIf(isThere('fish'))('fish', () => {
  test('completes commands, options, values and files', () => {
    space.write('config.yaml', '');
    const offered = (line: string): string[] =>
      execFileSync('fish', ['--no-config', '-c', `source script.fish; complete -C '${line}'`], {
        cwd: space.folder,
        encoding: 'utf8',
        env: { ...process.env, HOME: space.folder },
      })
        .split('\n')
        .flatMap((text) => (text === '' ? [] : [text.split('\t')[0] ?? '']));
    expect(offered('apikiln bu')).toEqual(['build']);
    expect(offered('apikiln check --fi')).toEqual(['--fix']);
    expect(offered('apikiln init --database m')).toEqual(['mariadb', 'mysql']);
    expect(offered('apikiln check conf')).toEqual(['config.yaml']);
    expect(offered('apikiln completion b')).toContain('bash');
  });
});
