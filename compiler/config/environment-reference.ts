/** Environment references in the values of datasources and authentications (decisions 1.5 and 11.12): those that are none are told. */
import type { Report } from '../diagnostics/report.js';
import type { ScalarText } from '../source.js';

const opening = /\$\{|\$(?=[A-Z][A-Z0-9_]+(?:[^A-Za-z0-9_]|$))/g;
const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\}/y;

/** Reports what begins like a reference and is none, and defaults that are written as shells do. */
export function checkReferences(text: ScalarText | undefined, report: Report): void {
  if (text === undefined) return;
  const { value } = text;
  opening.lastIndex = 0;
  for (let match = opening.exec(value); match !== null; match = opening.exec(value)) {
    const start = match.index;
    reference.lastIndex = start;
    const found = reference.exec(value);
    const [whole = '', name = '', fallback = ''] = found ?? [];
    if (found === null) {
      // All of it has been told with its first mistake.
      reportBroken(text, start, match[0] === '$', report);
      return;
    }
    if (fallback.includes('${')) {
      const why = 'references cannot be nested';
      const place = text.placeOf(start, start + whole.length);
      report.add('wrong-reference', place, { reference: name, opening: '${', why, isBare: false });
      return;
    }
    if (fallback.startsWith('-'))
      report.add('shell-default', text.placeOf(start, start + name.length + 4), { reference: name });
    opening.lastIndex = start + whole.length;
  }
}

function reportBroken(text: ScalarText, start: number, isBare: boolean, report: Report): void {
  const rest = text.value.slice(start, start + 200);
  const word = /^(\$\{?\{?)\s*([A-Za-z_][A-Za-z0-9_]*)/.exec(rest);
  const [, opening = '$', name] = word ?? [];
  const isDoubled = rest.startsWith('${{');
  const isWhole = isBare && !/^[:}]/.test(rest.slice(word?.[0].length));
  const why = isWhole
    ? 'its braces are missing'
    : isBare
      ? "its '{' is missing"
      : isDoubled
        ? 'it has one brace too many'
        : rest.includes('}')
          ? 'a name has letters, digits and _, and a colon before its default'
          : "its '}' is missing";
  const place = text.placeOf(start, start + (word?.[0] ?? rest.slice(0, 2)).length);
  report.add('wrong-reference', place, { reference: name, opening, why, isBare: isWhole });
}
