/** The white space around a part of a header, which is not part of its value. */

/**
 * The part without spaces and tabs around it (OWS of RFC 9110, section 5.6.3). `trim` would also remove a no-break space (byte A0), which
 * is part of a name or value: to a browser, a cookie whose name begins with it has no `__Host-` prefix.
 */
export function withoutSpace(part: string): string {
  let [start, end] = [0, part.length];
  while (start < end && isSpace(part[start])) start += 1;
  while (end > start && isSpace(part[end - 1])) end -= 1;
  return part.slice(start, end);
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}
