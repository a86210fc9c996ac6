/** Invisible characters, and characters that control a terminal, an editor or a log viewer. */

/**
 * Control characters, format characters (among them those without width, those that change the direction of writing, and tags), separators of lines and
 * paragraphs, and halves of surrogate pairs.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u{e0000}-\u{e007f}]/gu;

/** Without one of them, as most texts are: known in a fraction of the time. */
const isSeen = /^[ -~]*$/;

/** Calls `replace` for each of these characters, except those in `kept`. */
export function replaceUnseen(text: string, replace: (character: string) => string, kept = ''): string {
  if (isSeen.test(text)) return text;
  return text.replaceAll(unseen, (character) => (kept.includes(character) ? character : replace(character)));
}

/** Whether a text has one of these characters, except those in `kept`. */
export function hasUnseen(text: string, kept = ''): boolean {
  return replaceUnseen(text, () => '', kept) !== text;
}

/** The text in one line, with single spaces: for comments. */
export function inOneLine(text: string): string {
  return replaceUnseen(text, () => ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
}

/** Each of these characters as `?`, in one line. */
export function visible(text: string): string {
  return replaceUnseen(text, () => '?');
}

/** `\u001b`: as JavaScript, JSON and YAML in double quotes read it; a character beyond the basic plane is two of them. */
export function escapeOf(character: string): string {
  let escaped = '';
  for (let index = 0; index < character.length; index += 1)
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  return escaped;
}

/** A string in double quotes, as JavaScript, JSON and YAML read it, in which every character is seen. */
export function quotedString(text: string): string {
  return replaceUnseen(JSON.stringify(text), escapeOf);
}

/**
 * The text of strings in double quotes without a workflow command of GitHub Actions in the middle of a line, `##[…]`: as JSON and YAML read
 * it, the value is the same.
 */
export function withoutCommands(text: string): string {
  return text.replaceAll(/##(?=\[)/g, '#\\u0023');
}
