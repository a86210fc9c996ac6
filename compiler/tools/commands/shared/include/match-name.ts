/** Names of files against patterns with `*` and `?`, in time that grows with their lengths alone. */

/** Whether the whole name matches. */
export function matchesName(pattern: string, name: string): boolean {
  const [wanted, written] = [Array.from(pattern), Array.from(name)];
  let at = 0;
  let index = 0;
  /** Behind the last `*`, and where what it stands for ends so far. */
  let star: { readonly behind: number; end: number } | undefined;
  while (at < written.length) {
    if (wanted[index] === '*') {
      star = { behind: index + 1, end: at };
      index += 1;
    } else if (wanted[index] === '?' || (index < wanted.length && wanted[index] === written[at])) {
      index += 1;
      at += 1;
    } else if (star !== undefined) {
      star.end += 1;
      at = star.end;
      index = star.behind;
    } else return false;
  }
  return wanted.slice(index).every((character) => character === '*');
}
