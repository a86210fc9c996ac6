/** Writes a `jsonb` value as the bytes of `JSON.stringify`, without parsing it. */
import { isUtf8 } from 'node:buffer';
import { isPartOfNumber } from '../sql/json-bytes.js';
import { code, isDigit, notWritten, writeDigits, type Write } from '../sql/row-format.js';

/**
 * PostgreSQL writes `jsonb` with one space after commas and colons, without repeated keys, and with the same escapes as
 * `JSON.stringify`. Not supported are numbers in a notation other than JavaScript's, and keys that look like list indexes, which
 * JavaScript objects move to the front.
 */
export const writeJsonb: Write = (bytes, start, end, out, at) => {
  let next = at;
  let index = start;
  let isAscii = true;
  while (index < end) {
    const byte = bytes[index] ?? 0;
    if (byte === code.quote) {
      const first = index + 1;
      out[next] = byte;
      next += 1;
      let isIndex = true;
      for (index = first; bytes[index] !== code.quote; index += 1) {
        const character = bytes[index] ?? 0;
        if (index >= end) return notWritten;
        if (!isDigit(character)) isIndex = false;
        if (character >= 0x80) isAscii = false;
        else if (character === code.backslash) {
          out[next] = character;
          next += 1;
          index += 1;
        }
        out[next] = bytes[index] ?? 0;
        next += 1;
      }
      out[next] = code.quote;
      next += 1;
      index += 1;
      if (isIndex && index - 1 > first && bytes[index] === code.colon) return notWritten;
    } else if (byte === code.minus || isDigit(byte)) {
      const first = index;
      while (index < end && isPartOfNumber(bytes[index])) index += 1;
      next = writeDigits(bytes, first, index, out, next);
      if (next === notWritten) return notWritten;
    } else {
      if (byte !== code.blank) {
        out[next] = byte;
        next += 1;
      }
      index += 1;
    }
  }
  // A database with the encoding SQL_ASCII may send any bytes.
  return isAscii || isUtf8(bytes.subarray(start, end)) ? next : notWritten;
};
