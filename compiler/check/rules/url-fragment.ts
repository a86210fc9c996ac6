/** What follows the '#' of a URL. */
import { warning } from '../../diagnostics/catalogue/entry-messages.js';
import { placeBeside, type Place } from '../../source.js';
import { rule } from '../rule.js';

/** From the first `#` outside of placeholders; all of it where that is not seen. */
function fragmentIn(place: Place): Place {
  const written = place.source.text.slice(place.start, place.end);
  const at = written.replaceAll(/:\[[^\]]*\]/g, (one) => ' '.repeat(one.length)).indexOf('#');
  return at === -1 ? place : placeBeside(place, place.start + at, place.end, place.scalar);
}

export const urlFragment = rule(
  {
    'url-fragment': warning(() => ({
      message: "The '#' part of a URL is never sent.",
      hint: "Remove it, or write %23 for the character '#'.",
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'url' in url && url.hasFragment)
        report('url-fragment', fragmentIn(written.place));
    },
  }),
);
