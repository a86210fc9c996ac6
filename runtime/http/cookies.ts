/** Cookies of a request. */
import { decodeHeader } from './header-text.js';

/** The values of that name in their order, without quotes, percent-decoded where they can be. */
export function cookiesOf(header: string | undefined, name: string): string[] {
  return (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    if (at === -1 || pair.slice(0, at).trim() !== name) return [];
    const value = pair.slice(at + 1).trim();
    return [decodeCookie(/^".*"$/.test(value) ? value.slice(1, -1) : value)];
  });
}

function decodeCookie(value: string): string {
  if (!value.includes('%')) return decodeHeader(value);
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
