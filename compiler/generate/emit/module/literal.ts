/** Strings of the configuration as literals of code: only this file, comment.ts and names write them there. */

/** Control, format, direction and line separator characters, which a reader could not see. Lone surrogates too. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

function escapeUnit(character: string): string {
  let escaped = '';
  for (let index = 0; index < character.length; index += 1) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

/** A string literal for any text. */
export function stringLiteral(text: string): string {
  return JSON.stringify(text).replaceAll(invisible, escapeUnit);
}

/** The inside of a template literal whose value is exactly `text`; line breaks and tabs are kept. */
export function templateText(text: string): string {
  return text
    .replaceAll(/[\\`]|\$(?=\{)/g, '\\$&')
    .replaceAll(invisible, (character) =>
      character === '\n' || character === '\t' ? character : escapeUnit(character),
    )
    .replaceAll(/\$$/g, '\\$');
}

/** A number literal; the language has no infinities and no NaN. */
export function numberLiteral(value: number): string {
  if (!Number.isFinite(value)) throw new Error('A number of the configuration is not finite.');
  return Object.is(value, -0) ? '-0' : String(value);
}

/** A key of an object literal: `__proto__` as a computed key, since otherwise it would set the prototype. */
export function propertyKey(name: string): string {
  if (name === '__proto__') return `[${stringLiteral(name)}]`;
  return isPropertyName(name) ? name : stringLiteral(name);
}

/** A field of an object literal: `id`, where its value is the variable of that name. */
export function property(name: string, code: string): string {
  return code === name && isPropertyName(name) ? name : `${propertyKey(name)}: ${code}`;
}

/** True for a name that is valid after a dot and before a colon. */
export function isPropertyName(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__';
}

/** Any JSON value; a number as it is, an object with its keys in their order. */
export function jsonLiteral(value: unknown): string {
  if (typeof value === 'string') return stringLiteral(value);
  if (typeof value === 'number') return numberLiteral(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonLiteral).join(', ')}]`;
  const fields = Object.entries(value).map(([name, field]) => `${propertyKey(name)}: ${jsonLiteral(field)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
