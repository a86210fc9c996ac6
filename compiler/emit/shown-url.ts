/** The URL of a third-party request as in the configuration, for traces: without the query, which may contain API keys. */
import type { Expression, RequestUrl, Template } from '../plan/model.js';

export function shownUrl(url: RequestUrl, print: (expression: Expression) => string): string {
  const placeholder = (expression: Expression): string => `:[${print(expression)}]`;
  const template = (value: Template): string =>
    value.map((part) => (typeof part === 'string' ? part : placeholder(part))).join('');
  if (url.kind === 'whole') return placeholder(url.value);
  let shown = '';
  for (const piece of url.pieces) {
    if (piece.kind === 'text') {
      const query = piece.text.indexOf('?');
      if (query !== -1) return `${shown}${piece.text.slice(0, query)}?…`;
      shown += piece.text;
    } else shown += piece.kind === 'segment' ? template(piece.value) : placeholder(piece.value);
  }
  return shown;
}
