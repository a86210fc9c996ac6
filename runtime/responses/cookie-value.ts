/** Values in Set-Cookie. */
import { textOf, type Json } from '../handler/json.js';

/** Percent-encodes characters that a cookie cannot hold, so that a value ends neither itself nor the header. */
export function cookieValue(value: Json | undefined): string {
  return textOf(value)
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .replaceAll(/[^!#$&-+\--:<-[\]-~]/gu, encodeURIComponent);
}
