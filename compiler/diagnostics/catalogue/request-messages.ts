/** Diagnostics of what looks like a placeholder and is none. */
import { error, warning } from './entry-messages.js';

export const requestEntries = {
  'bare-placeholder-in-url': error((p: { written: string; rewrite: string }) => ({
    message: `'${p.written}' is not a placeholder: the URL would contain these characters.`,
    hint: `Write ${p.rewrite} for a value.`,
    instead: p.rewrite,
    isSuggestion: true,
  })),
  'bare-placeholder': warning((p: { written: string; rewrite: string; place: 'header' | 'message' }) => ({
    message: `'${p.written}' is not a placeholder: the ${p.place} would contain these characters.`,
    hint: `Write ${p.rewrite} for a value.`,
    instead: p.rewrite,
    isSuggestion: true,
  })),
};
