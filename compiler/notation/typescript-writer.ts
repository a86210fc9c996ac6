/** Writes TypeScript: strings of the configuration as literals, keys and comments. */
import { escapeOf, inOneLine, quotedString, replaceUnseen } from './unseen.js';
import { asWritten, type Written } from './written.js';

/** A string literal for any string. */
export function stringLiteral(text: string): Written<'typescript'> {
  return asWritten<'typescript'>(quotedString(text));
}

/** The content of a template literal with exactly the value `text`, keeping line breaks and tabs. */
export function templateText(text: string): Written<'typescript'> {
  const escaped = text.replaceAll(/[\\`]|\$(?=\{)/g, '\\$&');
  return asWritten<'typescript'>(replaceUnseen(escaped, escapeOf, '\n\t').replaceAll(/\$$/g, '\\$'));
}

/** A number literal. The configuration language does not have infinities or NaN. */
export function numberLiteral(value: number): Written<'typescript'> {
  if (!Number.isFinite(value)) throw new Error('A number of the configuration is not finite.');
  return asWritten<'typescript'>(Object.is(value, -0) ? '-0' : String(value));
}

/** A key of an object literal. `__proto__` is written as a computed key, because otherwise it would set the prototype. */
export function propertyKey(name: string): Written<'typescript'> {
  if (name === '__proto__') return asWritten<'typescript'>(`[${stringLiteral(name)}]`);
  return isPropertyName(name) ? asWritten<'typescript'>(name) : stringLiteral(name);
}

/** Whether the name is valid after a dot and before a colon. */
export function isPropertyName(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__';
}

/** The text of a `// …` or doc comment without delimiters, on one line, unable to end the comment and to direct the TypeScript compiler. */
export function commentText(text: string): Written<'typescript'> {
  return asWritten<'typescript'>(
    inOneLine(text)
      .replaceAll('*/', '* /')
      .replaceAll(/@(?=ts-)/g, '@ '),
  );
}

export function lineComment(text: string): Written<'typescript'> {
  return asWritten<'typescript'>(`// ${commentText(text)}`);
}

/** The code of a module, from the syntax tree printer, which writes every string through this file. */
export function moduleCode(text: string): Written<'typescript'> {
  return asWritten<'typescript'>(text);
}
