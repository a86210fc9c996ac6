/** The writer of Mermaid, a notation of diagrams. */
import { asWritten, tagOf, type Written } from './written.js';

/** A template literal of Mermaid; its holes are written Mermaid. */
export const mermaid = Object.assign(tagOf<'mermaid'>(), {
  /** All characters except plain letters and a few others become character codes, so no text can be syntax of Mermaid, Markdown or HTML. */
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
