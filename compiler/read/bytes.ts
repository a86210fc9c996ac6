/** Computes the size of strings without Node APIs, because the compiler also runs in browsers. */

/** The length of a string in UTF-8 bytes; an unpaired surrogate counts as three bytes (its replacement character). */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isHigh(unit) && isLow(text.charCodeAt(at + 1))) {
      // A surrogate pair takes four bytes.
      bytes += 2;
      at += 1;
    } else bytes += 2;
  }
  return bytes;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
