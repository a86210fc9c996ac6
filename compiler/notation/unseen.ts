/** Finds invisible characters, and characters that control a terminal, editor or log viewer. */

/**
 * Control characters, format characters (including zero-width characters, direction marks and tags), line and paragraph separators, and
 * unpaired surrogates.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u{e0000}-\u{e007f}]/gu;

/** A fast path: most texts consist of visible ASCII characters. */
const isSeen = /^[ -~]*$/;

/** Replaces these characters, except for those in `kept`, with the result of `replace`. */
export function replaceUnseen(text: string, replace: (character: string) => string, kept = ''): string {
  if (isSeen.test(text)) return text;
  return text.replaceAll(unseen, (character) => (kept.includes(character) ? character : replace(character)));
}

/** Whether the text contains such characters, except for those in `kept`. */
export function hasUnseen(text: string, kept = ''): boolean {
  return replaceUnseen(text, () => '', kept) !== text;
}

/** The text on one line with single spaces, for comments. */
export function inOneLine(text: string): string {
  return replaceUnseen(text, () => ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
}

/** The text on one line, with each of these characters replaced by `?`. */
export function visible(text: string): string {
  return replaceUnseen(text, () => '?');
}

/** The escape `\u001b` for JavaScript, JSON and YAML in double quotes; two escapes for a character beyond the basic plane. */
export function escapeOf(character: string): string {
  let escaped = '';
  for (let index = 0; index < character.length; index += 1)
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  return escaped;
}

/** A double-quoted string for JavaScript, JSON and YAML in which every character is visible. */
export function quotedString(text: string): string {
  return replaceUnseen(JSON.stringify(text), escapeOf);
}

/** Escapes GitHub workflow commands (`##[…]`) in text with double-quoted strings. The value remains the same in JSON and YAML. */
export function withoutCommands(text: string): string {
  return text.replaceAll(/##(?=\[)/g, '#\\u0023');
}
