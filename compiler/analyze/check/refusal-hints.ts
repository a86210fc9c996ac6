/** Hints for statements refused by their database, based on the database's message. */
import type { Span } from '../../read/source.js';
import type { Refusal } from '../../read/sql/statement-description.js';

/** PostgreSQL's message for an unexpected word. */
export const syntaxError = /^syntax error at or near "([^"]+)"$/;

/** Example literals by type name. */
const literals: Readonly<Record<string, string>> = {
  ...{ integer: '5', bigint: '5', smallint: '5', numeric: '1.5', boolean: 'true', interval: "'1 day'" },
  ...{ date: "'2024-01-31'", time: "'13:45'", uuid: "'123e4567-e89b-12d3-a456-426614174000'" },
  timestamp: "'2024-01-31 13:45'",
  'timestamp with time zone': "'2024-01-31 13:45Z'",
  json: `'{"a": 1}'`,
};

/** SQL equivalents for operators of other languages. */
const sqlOperators: ReadonlyMap<string, string> = new Map([
  ['==', '='],
  ['===', '='],
  ['!==', '<>'],
  ['&&', 'AND'],
]);

/** Suggests the missing cast if PostgreSQL names the mismatched types. */
export function castHint({ code, message }: Refusal): string | undefined {
  if (code === '42804') {
    if (/must be type boolean, not type/.test(message))
      return 'Write a comparison, such as … = 1 or … IS NOT NULL.';
    const [, ofColumn, ofClause] =
      /^column .* is of type (.+) but expression is of type |must be type (.+), not type /.exec(message) ??
      [];
    const wanted = ofColumn ?? ofClause;
    if (wanted !== undefined) return `Use a value of type ${wanted}, or a cast: (…)::${wanted}`;
    const [, one, other] = /types (.+) and (.+) cannot be matched$/.exec(message) ?? [];
    if (one !== undefined && other !== undefined)
      return `Cast one of the two values to the type of the other: (…)::${one} or (…)::${other}`;
  }
  if (code === '42P18') return 'Write the type after the value, such as :[…]::text.';
  const [, type] = /^invalid input (?:syntax|value) for (?:type|enum) ([\w ]+):/.exec(message) ?? [];
  if (type !== undefined)
    return `Write a value of the type ${type}${literals[type] === undefined ? '' : `, such as ${literals[type]}`}.`;
  if (code !== '42883') return undefined;
  if (/^operator does not exist: @ /.test(message))
    return 'PostgreSQL has no variables. Write a placeholder, such as :[…], for a value.';
  const [, left, operator = '', right] =
    /^operator does not exist: (\S.*?) ([-+*/<>=~!@#%^&|`?]+) (\S.*)$/.exec(message) ?? [];
  const meant = sqlOperators.get(operator);
  if (meant !== undefined) return `Write ${meant} instead of ${operator}.`;
  const isDate = (type: string | undefined): boolean => /^(?:timestamp|date|time)\b/.test(type ?? '');
  if (isDate(left) && /^(?:integer|bigint|smallint|numeric)$/.test(right ?? ''))
    return "Write an interval instead of the number, such as interval '5 days'.";
  const known = right === 'unknown' ? left : right;
  if (known !== undefined && (right === 'unknown' || left === 'unknown'))
    return `PostgreSQL has no ${operator} for ${known}: cast that side to another type, that of a domain to the type that it is made of.`;
  if (left !== undefined && right !== undefined)
    return `Cast one side to the type of the other: the left one with ::${right}, or the right one with ::${left}.`;
  const [, name, types = ''] = /^function ([^(]+)\((.*)\) does not exist$/.exec(message) ?? [];
  if (name === undefined) return undefined;
  if (/^(?:min|max)$/i.test(name) && types.includes(','))
    return `Write ${/^min$/i.test(name) ? 'least' : 'greatest'}( … ) for the ${/^min$/i.test(name) ? 'smallest' : 'largest'} of several values.`;
  return types === ''
    ? `Write a function that the database has, or create '${name}'.`
    : `Check the name, or cast the values to types that it accepts, for example ${name}((…)::${/text|char|unknown/.test(types) ? 'numeric' : 'text'}).`;
}

/** The hint if neither the server's message nor the types suggest one. */
export function otherHint({ message }: Refusal, { source, start, end }: Span): string {
  const [, word] = syntaxError.exec(message) ?? [];
  if (word !== undefined && /%$/.test(source.text.slice(0, start + 1)))
    return 'Write a placeholder, such as :[…], for a value';
  const interval = /\binterval\s+(\d+)\s+(\w+)/i.exec(source.text.slice(Math.max(0, start - 20), end + 20));
  if (word !== undefined && interval !== null)
    return `Write interval '${interval[1] ?? ''} ${interval[2] ?? ''}'`;
  if (word !== undefined) return `Correct the statement at '${word}', or write the missing part before it`;
  const marked = source.text.slice(start, end);
  if (/^column "/.test(message) && marked.startsWith('"'))
    return `Double quotes are for names: a string is written in single quotes, '${marked.slice(1, -1)}'`;
  return marked.length > 40 || marked.includes('\n')
    ? 'Correct the statement'
    : `Correct the statement at ${marked.startsWith("'") ? marked : `'${marked}'`}`;
}
