/**
 * Environment references in fields of datasources and authentications. The service resolves them on startup; invalid references are
 * reported here.
 */
import {
  referenceAt,
  referencesIn,
  type WrittenReference,
} from '../../../runtime/server/environment-reference.js';
import type { Report } from '../diagnostics/report.js';
import type { ScalarText } from '../source.js';

const opening = /\$\{|\$\(?(?=[A-Z][A-Z0-9_]+(?:[^A-Za-z0-9_]|$))/g;

/** The syntax of other tools for a value that is a single variable. */
const elsewhere =
  /^(?:\{\{\s*|%|#\{|process\.env\.|env\.)([A-Z][A-Z0-9]*_[A-Z0-9_]*[A-Z0-9])(?:\s*\}\}|%|\})?$/;

/** Matches only placeholders that use a function or name of the request, because a password can contain `:[`. */
const placeholders = /:\[\s*(?:(?:PARAM|BODY|VALUE|VALUE_BY_INDEX)\(|(?:param|body)\b)[^\]]*\]?/;

/** Reports invalid references and shell-style defaults. */
export function checkReferences(text: ScalarText | undefined, report: Report): void {
  if (text === undefined) return;
  const { value } = text;
  const other = elsewhere.exec(value);
  if (other !== null) {
    const [, reference] = other;
    const why = 'references begin with ${';
    const replaced = text.spanOf(0, value.length);
    report.add('wrong-reference', replaced, { reference, opening: undefined, why, behind: '}', replaced });
    return;
  }
  const placeholder = placeholders.exec(value);
  if (placeholder !== null) {
    const span = text.spanOf(placeholder.index, placeholder.index + placeholder[0].length);
    const why = 'it is a placeholder, and only operations have values for those';
    report.add('wrong-reference', span, { reference: undefined, opening: undefined, why });
    return;
  }
  opening.lastIndex = 0;
  for (let match = opening.exec(value); match !== null; match = opening.exec(value)) {
    const start = match.index;
    const found = referenceAt(value, start);
    if (found === undefined) {
      // One diagnostic covers the whole string.
      reportBroken(text, start, report);
      return;
    }
    const { name, fallback = '', end } = found;
    if (fallback.includes('${')) {
      const why = 'references cannot be nested';
      const span = text.spanOf(start, end);
      report.add('wrong-reference', span, { reference: name, opening: '${', why });
      return;
    }
    if (found.text.startsWith(':-', name.length + 2))
      report.add('shell-default', text.spanOf(start, start + name.length + 4), { reference: name });
    opening.lastIndex = end;
  }
}

/** A common mistake in the syntax of a reference. */
interface Habit {
  /** Matches from the `$` on. */
  readonly pattern: RegExp;
  readonly why: string;
  /** The characters to expect after the name, such as `)` for `$(NAME)`; undefined if unknown. */
  readonly behind?: string;
  /** True if the text may mean something else. */
  readonly isGuess?: boolean;
}

const name = '([A-Za-z_][A-Za-z0-9_]*)';
const misnamed = 'a name has letters, digits and _, and a colon before its default';
const unclosed = "its '}' is missing";

/** The first match determines the diagnostic. */
const habits: readonly Habit[] = [
  { pattern: RegExp(`^\\$\\(${name}\\)`), why: 'it has parentheses instead of braces', behind: '}' },
  { pattern: RegExp(`^\\$${name}(?![A-Za-z0-9_:}])`), why: 'its braces are missing', behind: '}' },
  { pattern: RegExp(`^\\$${name}\\}`), why: "its '{' is missing", behind: '}' },
  { pattern: RegExp(`^\\$${name}:(?=[^{}]*\\})`), why: "its '{' is missing", behind: ':' },
  { pattern: RegExp(`^\\$${name}`), why: "its '{' is missing" },
  {
    pattern: RegExp(`^\\$\\{\\{\\s*${name}\\s*\\}\\}`),
    why: 'it has one brace too many',
    behind: '}',
  },
  { pattern: RegExp(`^\\$\\{\\{\\s*${name}`), why: 'it has one brace too many' },
  { pattern: RegExp(`^\\$\\{\\s*${name}\\s*\\}`), why: 'a name has no spaces around it', behind: '}' },
  { pattern: RegExp(`^\\$\\{${name}:?=(?=[^{}$]*\\})`), why: misnamed, behind: ':' },
  // A shell-style default. In `${db-password}` the whole text may be the name.
  { pattern: /^\$\{([A-Z][A-Z0-9_]*)-(?=[^{}$]*\})/, why: misnamed, behind: ':' },
  {
    pattern: /^\$\{([A-Za-z][A-Za-z0-9_]*(?:[ .-][A-Za-z][A-Za-z0-9_]*)+)\}/,
    why: misnamed,
    behind: '}',
    isGuess: true,
  },
  { pattern: RegExp(`^\\$\\{${name}(?=$|[/?&@])(?![^$]*\\})`), why: unclosed, behind: '}' },
  { pattern: RegExp(`^\\$\\{${name}(?![^]*\\})`), why: unclosed },
  { pattern: RegExp(`^\\$\\{\\{?\\s*${name}`), why: misnamed },
];

function reportBroken(text: ScalarText, start: number, report: Report): void {
  const rest = text.value.slice(start, start + 200);
  for (const { pattern, why, behind, isGuess = false } of habits) {
    const found = pattern.exec(rest);
    if (found === null) continue;
    const [whole, written = ''] = found;
    const [head, opening = ''] = /^(\$[{(]*\s*)[A-Za-z0-9_]*/.exec(rest) ?? [whole];
    // In `${{NAME}}` and `$(NAME)` the delimiters on both sides are wrong.
    const isDoubled = /^\$(?:\{\{|\()/.test(opening) && behind !== undefined;
    const span = text.spanOf(start, start + (isDoubled ? whole : head).length);
    report.add('wrong-reference', span, {
      reference: isGuess
        ? written
            .replace(/^env\./i, '')
            .replaceAll(/[ .-]/g, '_')
            .toUpperCase()
        : written,
      opening: isGuess ? undefined : opening,
      closing: isDoubled ? whole.slice(head.length) : '',
      why,
      ...(behind !== undefined && { behind, replaced: text.spanOf(start, start + whole.length), isGuess }),
    });
    return;
  }
  const span = text.spanOf(start, start + rest.slice(0, 2).length);
  report.add('wrong-reference', span, {
    reference: undefined,
    opening: undefined,
    closing: '',
    why: misnamed,
  });
}

/** The string with every reference replaced. */
export function replaceReferences(text: string, replace: (found: WrittenReference) => string): string {
  let replaced = '';
  let start = 0;
  for (const found of referencesIn(text)) {
    replaced += text.slice(start, found.start) + replace(found);
    start = found.end;
  }
  return replaced + text.slice(start);
}
