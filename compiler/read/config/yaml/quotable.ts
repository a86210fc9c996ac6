/** Finds single-line values that YAML does not read as the intended string, and quotes them. */
import { yaml } from '../../../notation/yaml-writer.js';
import { isSecretField } from '../../diagnostics/secrets/secret-words.js';
import type { Span, Source } from '../../source.js';

/** A value after `key: ` or `- `, up to the end of its line. */
export interface Quotable {
  readonly span: Span;
  readonly written: string;
  /** The value as a quoted YAML string. Secrets are not shown in messages. */
  readonly quoted: string;
  /** The reason why YAML does not read the value as a string; undefined if quotes would not help. */
  readonly reason: string | undefined;
  /** True for fields such as `password`, whose value must not be shown. */
  readonly isSecret: boolean;
}

const line = /^(\s*(?:- +)*)(?:["']?([\p{L}_][\p{L}\p{N}_-]*)["']?:[ \t]+)?(\S.*)$/u;

/** The value of the line at `lineStart`; undefined for a line without a value. */
export function quotableValue(source: Source, lineStart: number): Quotable | undefined {
  const lineEnd = source.text.indexOf('\n', lineStart);
  const written = source.text.slice(lineStart, lineEnd === -1 ? undefined : lineEnd).trimEnd();
  const [, dashes = '', field, value] = line.exec(written) ?? [];
  if (value === undefined || (field === undefined && !dashes.includes('-'))) return undefined;
  const start = lineStart + written.lastIndexOf(value);
  const isSecret = field !== undefined && isSecretField(field);
  return {
    span: { source, start, end: start + value.length },
    written: value,
    quoted: isSecret ? "'…'" : yaml.quoted(meantText(value)),
    reason: reasonForQuotes(value),
    isSecret,
  };
}

function reasonForQuotes(value: string): string | undefined {
  const character = value.charAt(0);
  if (character === '*') return "a '*' at the beginning is an alias";
  if (character === '&') return "a '&' at the beginning is an anchor";
  if (character === '!') return "a '!' at the beginning is a tag";
  if ('@`%,]}'.includes(character)) return `a string cannot begin with '${character}'`;
  if (/^[-?](?:\s|$)/.test(value)) return `'${character} ' begins another value`;
  if (/^[|>]/.test(value)) {
    return /^[|>][-+\d]*\s*(?:#.*)?$/.test(value)
      ? undefined
      : `'${character}' begins a block on the next lines`;
  }
  if (character === "'" || character === '"') return reasonInQuotes(value, character);
  if (character === '{' || character === '[') {
    const rest = value.slice(endOfCollection(value));
    return /^\s*[^\s#]/.test(rest)
      ? `'${character}' begins a ${character === '{' ? 'map' : 'list'}`
      : undefined;
  }
  return /:(?:\s|$)/.test(value) ? 'a colon and a space begin a map' : undefined;
}

/** The position after the matching closing bracket; the end of the string if unclosed. */
function endOfCollection(value: string): number {
  let depth = 0;
  for (const { index, 0: bracket } of value.matchAll(/[{}[\]]/g)) {
    depth += bracket === '{' || bracket === '[' ? 1 : -1;
    if (depth === 0) return index + 1;
  }
  return value.length;
}

function reasonInQuotes(value: string, quote: string): string | undefined {
  const first = quote === "'" ? /^'(?:[^']|'')*'/ : /^"(?:[^"\\]|\\.)*"/;
  const text = first.exec(value)?.[0];
  if (text === undefined) return undefined;
  if (text.length < value.length && !/^\s+#/.test(value.slice(text.length))) {
    return `the string ends at its second ${quote}`;
  }
  const odd = quote === '"' ? /\\[^0abtnvfre "/\\N_LPxuU\t]/.exec(text.replaceAll('\\\\', '  ')) : null;
  return odd === null ? undefined : `inside double quotes '\\' begins an escape, and '${odd[0]}' is not one`;
}

/** The intended string, if the author quoted it without escaping quotes inside. */
function meantText(value: string): string {
  const quote = value.charAt(0);
  if (/^`[^`]+`$/.test(value)) return value.slice(1, -1);
  const joined = joinedText(value);
  if (joined !== undefined) return joined;
  if ((quote !== "'" && quote !== '"') || value.length < 2 || !value.endsWith(quote)) return value;
  const isOperand = /^(?:'[^']*'|"[^"]*")\s*(?:[=!<>]=?|&&|\|\|)/.test(value);
  return isOperand ? value : value.slice(1, -1);
}

/** Converts string concatenation as in other languages: `"Bank: " + VALUE(paid, $.reason)` → `Bank: :[VALUE(paid, $.reason)]`. */
function joinedText(value: string): string | undefined {
  const parts = value.split(' + ').map((written) => {
    const part = written.trim();
    const [, , text] = /^(['"])([^'"\\]*)\1$/.exec(part) ?? [];
    if (text !== undefined) return text;
    return /^(?:[A-Z][A-Z\d_]*\([^'"]*\)|[a-z_][\w-]*(?:\.[\w-]+|\[-?\d+\])+)$/.test(part)
      ? `:[${part}]`
      : undefined;
  });
  return parts.length > 1 && !parts.includes(undefined) ? parts.join('') : undefined;
}
