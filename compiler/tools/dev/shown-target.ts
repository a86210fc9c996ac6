/** The target of a request as `apikiln dev` prints it: without API keys. */
/** `/me?api_key=…&page=2` */
export function shownTarget(target: string, hidden: ReadonlySet<string>): string {
  const at = target.indexOf('?');
  if (hidden.size === 0 || at < 0) return target;
  const shown = target
    .slice(at + 1)
    .split('&')
    .map((part) => {
      const [name = ''] = part.split('=', 1);
      return hidden.has(decoded(name)) ? `${name}=…` : part;
    });
  return `${target.slice(0, at)}?${shown.join('&')}`;
}

function decoded(name: string): string {
  return [...new URLSearchParams(name).keys()][0] ?? '';
}
