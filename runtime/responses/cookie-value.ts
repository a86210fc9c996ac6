/** Values in Set-Cookie. */
import { textOf, type Json } from '../handler/json.js';

/** Percent-encodes characters that cookies cannot contain, so that a value cannot end the cookie or the header. */
export function cookieValue(value: Json | undefined): string {
  return textOf(value)
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .replaceAll(/[^!#$&-+\--:<-[\]-~]/gu, encodeURIComponent);
}
