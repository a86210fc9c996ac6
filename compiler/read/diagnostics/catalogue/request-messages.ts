/** Diagnostics about text that looks like a placeholder. */
import { error, warning } from './entry-messages.js';
import { words } from '../marks.js';

export const requestEntries = {
  'bare-placeholder-in-url': error(
    { written: 'text', rewrite: 'text' },
    (p: { written: string; rewrite: string }) => ({
      message: `'${p.written}' is not a placeholder: the URL would contain these characters.`,
      hint: hintFor(p),
      instead: p.rewrite,
      isSuggestion: true,
    }),
  ),
  'bare-placeholder': warning(
    { written: 'text', rewrite: 'text', field: words('message', 'header', 'text', 'html') },
    (p: { written: string; rewrite: string; field: 'header' | 'message' | 'text' | 'html' }) => ({
      message: `'${p.written}' is not a placeholder: the ${p.field} would contain these characters.`,
      hint: hintFor(p),
      instead: p.rewrite,
      isSuggestion: true,
    }),
  ),
};

/** The hint for a placeholder in another notation: upper-case names are environment variables. */
function hintFor({ written, rewrite }: { written: string; rewrite: string }): string {
  if (written.startsWith('TEXT(')) return `A message is a string: write ${rewrite} without TEXT.`;
  return /^\$\{[A-Z][A-Z\d_]*\}$/.test(written)
    ? `Write ${rewrite} for a parameter. Variables of the environment are read only in 'datasources' and 'authentications'.`
    : `Write ${rewrite} for a value.`;
}
