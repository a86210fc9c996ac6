/** Output of a command: results go to standard output, messages to standard error. */
import { type Written } from '../../../../notation/written.js';
import picocolors from 'picocolors';
import {
  coloursOf,
  guarded,
  noColours,
  screen,
  type Colours,
  type Shown,
} from '../../../../notation/screen-writer.js';
import { Progress } from './progress.js';

export interface Terminal {
  /** The base of relative paths. */
  readonly folder: string;
  /** Prints a line of the result. */
  readonly print: (text: Shown) => void;
  /** Prints a GitHub Actions workflow command. */
  readonly command: (text: Written<'github'>) => void;
  /** Prints a message for the user. */
  readonly log: (text: Shown) => void;
  readonly colours: Colours;
  /** Sets the current stage of the work, shown after a second; undefined removes it. */
  readonly stage?: (text: string | undefined) => void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a stream is coloured: `--no-color` and NO_COLOR disable colours, FORCE_COLOR enables them, otherwise terminals are coloured. */
export function wantsColours(
  args: readonly string[],
  { NO_COLOR = '', FORCE_COLOR, TERM }: Environment,
  // Undefined for pipes.
  isTerminal: boolean | undefined,
): boolean {
  if (args.includes('--no-color') || NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined) return !/^(?:0|false)$/i.test(FORCE_COLOR);
  return isTerminal === true && TERM !== 'dumb';
}

/** Which streams are coloured. */
export interface ColouredStreams {
  readonly print: boolean;
  readonly log: boolean;
}

export function colouredStreams(
  { stdout, stderr, env }: NodeJS.Process,
  args: readonly string[],
): ColouredStreams {
  return { print: wantsColours(args, env, stdout.isTTY), log: wantsColours(args, env, stderr.isTTY) };
}

export function terminalOf(
  process: NodeJS.Process,
  { print, log }: ColouredStreams = { print: false, log: false },
): Terminal {
  const { stdout, stderr, env } = process;
  // Logs of continuous integration keep every line ever drawn.
  const isWatched = stderr.isTTY && env.TERM !== 'dumb' && ['', '0', 'false'].includes(env.CI ?? '');
  const progress = new Progress(
    (text) => stderr.write(text),
    // Terminals of unknown size report 0.
    () => stderr.columns || 80,
  );
  const github = env['GITHUB_ACTIONS'] === 'true';
  // Texts are coloured regardless of where they are printed; unwanted colours are removed here.
  const shown = (text: Shown, colours: boolean): string => `${guarded(text, { colours, github })}\n`;
  // File names may contain any characters.
  const inOneLine = (text: string): string => guarded(screen.text(text), { colours: false, github });
  return {
    folder: process.cwd(),
    print: (text) => {
      progress.erase();
      stdout.write(shown(text, print));
    },
    command: (text) => {
      progress.erase();
      stdout.write(`${text}\n`);
    },
    log: (text) => {
      progress.erase();
      stderr.write(shown(text, log));
    },
    colours: print || log ? coloursOf(picocolors.createColors(true)) : noColours,
    stage: (text) => {
      if (isWatched) progress.stage(text === undefined ? undefined : inOneLine(text));
    },
  };
}
