/** Suggests a call that builds JSON in place of a JSON string with placeholders, so that values cannot change its structure. */
import type { Dialect } from '../../../read/sql/dialect.js';
import type { EnclosedToken } from '../../../read/sql/lexer/token.js';

/** `jsonb_build_object('id', :[PARAM(id)])`; undefined if the string is not JSON. */
export function rewriteJson(
  token: EnclosedToken,
  dialect: Dialect,
  marker: string | undefined,
): string | undefined {
  const { opener, closer, embedded } = token;
  if (!/^(?:'|"|\$\w*\$)$/.test(opener)) return undefined;
  const markers: string[] = [];
  let json = '';
  let inString = false;
  let at = opener.length;
  for (const { start, end } of embedded) {
    if (end === undefined) return undefined;
    const piece = token.text.slice(at, start - token.start);
    json += piece;
    if (quotesIn(piece) % 2 === 1) inString = !inString;
    markers.push(marker ?? token.text.slice(start - token.start, end - token.start));
    const name = `\uE000${markers.length - 1}\uE000`;
    json += inString ? name : `"\uE001${name}"`;
    at = end - token.start;
  }
  json += token.text.slice(at, token.text.length - closer.length);
  if (opener.length === 1) json = json.replaceAll(opener + opener, opener);
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? build(value, dialect, markers) : undefined;
  } catch {
    return undefined;
  }
}

/** The number of quotes that begin or end a JSON string in the piece. */
function quotesIn(piece: string): number {
  return piece.replaceAll(/\\./g, '').split('"').length - 1;
}

function build(value: unknown, dialect: Dialect, markers: readonly string[]): string {
  const inner = (part: unknown): string => build(part, dialect, markers);
  if (typeof value === 'string') return buildString(value, dialect, markers);
  if (Array.isArray(value)) {
    const name = dialect === 'postgresql' ? 'jsonb_build_array' : 'JSON_ARRAY';
    return `${name}(${value.map(inner).join(', ')})`;
  }
  if (typeof value === 'object' && value !== null) {
    const name = dialect === 'postgresql' ? 'jsonb_build_object' : 'JSON_OBJECT';
    const pairs = Object.entries(value).map(([key, part]) => `${inner(key)}, ${inner(part)}`);
    return `${name}(${pairs.join(', ')})`;
  }
  return String(value);
}

function buildString(value: string, dialect: Dialect, markers: readonly string[]): string {
  // An unquoted placeholder can be any JSON value.
  const isBare = value.startsWith('\uE001');
  const pieces = value.replace('\uE001', '').split('\uE000');
  const parts = pieces.flatMap((piece, index) => {
    if (index % 2 === 1) return [markers[Number(piece)] ?? ''];
    return piece === '' && pieces.length > 1 ? [] : [`'${piece.replaceAll("'", "''")}'`];
  });
  const [first = ''] = parts;
  if (parts.length > 1) return `concat(${parts.join(', ')})`;
  return isBare && dialect === 'postgresql' ? `${first}::jsonb` : first;
}
