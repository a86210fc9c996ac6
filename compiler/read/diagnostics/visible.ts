/** Characters that would steer a terminal or a log: colours, line breaks, another direction of writing. */

const steering = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** The text in one line that steers nothing. */
export function visible(text: string): string {
  return text.replaceAll(steering, '?');
}

/** Each line of the text without characters that steer a terminal. */
export function visibleLines(text: string): string {
  return text.replaceAll(steering, (character) => (character === '\n' ? character : '?'));
}
