/** Text of the configuration in a comment: on one line, and unable to end the comment. */

const invisible = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu;

/** The text of a comment without its delimiters, for `// …` and for doc comments. */
export function commentText(text: string): string {
  return text.replaceAll(invisible, ' ').replaceAll('*/', '* /').replaceAll(/ +/g, ' ').trim();
}

export function lineComment(text: string): string {
  return `// ${commentText(text)}`;
}
