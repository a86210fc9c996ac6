/** Characters that a reader does not see, or that steer what shows them: a terminal, an editor, a log. */

/**
 * Control characters, format characters (among them those without width, those that change the direction of writing, and tags), separators of lines and
 * paragraphs, and halves of surrogate pairs.
 */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u{e0000}-\u{e007f}]/gu;

/** Calls `replace` for each of these characters but those in `kept`. */
export function replaceUnseen(text: string, replace: (character: string) => string, kept = ''): string {
  return text.replaceAll(unseen, (character) => (kept.includes(character) ? character : replace(character)));
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
