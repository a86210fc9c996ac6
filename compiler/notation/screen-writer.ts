/** Writes text for people, on a terminal or in a log. */
import { replaceUnseen, visible } from './unseen.js';
import { asWritten, tagOf, type Notation, type Written } from './written.js';

export type Shown = Written<'terminal'>;

/** Terminal colors. Each function returns its text unchanged if colors are off. */
export interface Colours {
  readonly bold: Paint;
  readonly red: Paint;
  readonly yellow: Paint;
  readonly dim: Paint;
}

type Paint = (text: Shown) => Shown;

const escape = String.fromCharCode(27);
const colourCode = new RegExp(`${escape}\\[\\d{1,2}m`, 'g');

/** A template literal for displayed text. Substitutions must be displayed text. */
export const screen = Object.assign(tagOf<'terminal'>(), {
  /** Untrusted text on one line: a name, a message, an argument. */
  text: (text: string | number): Shown => {
    return asWritten<'terminal'>(visible(String(text)));
  },

  /** Several lines of text, each of which remains a single line. */
  list: (lines: readonly string[]): Shown => {
    return asWritten<'terminal'>(lines.map(visible).join('\n'));
  },

  /** Untrusted text that can have several lines, such as SQL. */
  lines: (text: string): Shown => {
    return asWritten<'terminal'>(replaceUnseen(text, () => '?', '\n\t'));
  },

  /** Untrusted text with a prefix on each line, so that no line can be mistaken for other output. */
  quoted: (text: string, mark: '  ' | '      '): Shown => {
    return asWritten<'terminal'>(
      screen
        .lines(text)
        .split('\n')
        .map((line) => `${mark}${line}`)
        .join('\n'),
    );
  },

  /** Any written document, displayed unchanged. */
  document: (text: Written<Exclude<Notation, 'github'>>): Shown => {
    return asWritten<'terminal'>(text);
  },
});

const plain: Paint = (text) => text;

export const noColours: Colours = { bold: plain, red: plain, yellow: plain, dim: plain };

/** Creates colors from a function per color, such as those of picocolors. */
export function coloursOf(paint: Readonly<Record<keyof Colours, (text: string) => string>>): Colours {
  const painted =
    (one: (text: string) => string): Paint =>
    (text) =>
      asWritten<'terminal'>(one(text));
  return {
    bold: painted(paint.bold),
    red: painted(paint.red),
    yellow: painted(paint.yellow),
    dim: painted(paint.dim),
  };
}

/**
 * The last step before output. Only line breaks, tabs and colors may control the terminal, and in a GitHub workflow no line may be a
 * command, whatever the source of the text.
 */
export function guarded(
  text: string,
  { colours, github }: { readonly colours: boolean; readonly github: boolean },
): string {
  const codes = colours ? [...text.matchAll(colourCode)].map(([code]) => code) : [];
  // Keep color codes and guard all text between them.
  const parts = text.split(colourCode).map((part) => replaceUnseen(part, () => '?', '\n\t'));
  const shown = parts.map((part, index) => `${part}${codes[index] ?? ''}`).join('');
  return github ? withoutCommands(shown) : shown;
}

/** Escapes workflow commands: the GitHub runner recognizes `::` at the beginning of a trimmed line, and `##[` anywhere. */
function withoutCommands(text: string): string {
  return text
    .replaceAll(new RegExp(`^((?:\\s|${escape}\\[\\d{1,2}m)*):(?=:)`, 'gm'), '$1: ')
    .replaceAll('##[', '## [');
}
