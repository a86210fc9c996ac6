/** Writes Mermaid diagrams. */
import { asWritten, tagOf, type Written } from './written.js';

/** A template literal for Mermaid. Substitutions must be Mermaid. */
export const mermaid = Object.assign(tagOf<'mermaid'>(), {
  /**
   * Replaces all characters except plain letters and a few others with character codes, so that text cannot contain Mermaid, Markdown or
   * HTML syntax.
   */
  text: (text: string): Written<'mermaid'> => {
    const lines = text
      .split('\n')
      .map((line) =>
        Array.from(line, (character) =>
          /^[\p{L}\p{N} .,:$/=()+-]$/u.test(character) ? character : `#${character.codePointAt(0) ?? 0};`,
        ).join(''),
      );
    return asWritten<'mermaid'>(lines.join('<br/>'));
  },
});
