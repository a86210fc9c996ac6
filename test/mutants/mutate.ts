/** Errors in configurations: one or more small changes of a text, as made by accident or misunderstanding. */
import type { Random } from '../helpers/random.js';

/** A change of a text; undefined if it cannot be applied. */
type Mutation = (text: string, random: Random) => string | undefined;

/** Changes that keep every line in its section, so that secrets remain at positions of secrets. */
const inPlace: readonly Mutation[] = [
  // Characters.
  (text, random) => splice(text, random.below(text.length), 1, ''),
  (text, random) => splice(text, random.below(text.length), 0, random.pick(characters)),
  (text, random) => splice(text, random.below(text.length), 1, random.pick(characters)),
  (text, random) => {
    const at = random.below(text.length - 1);
    return splice(text, at, 2, `${text[at + 1] ?? ''}${text[at] ?? ''}`);
  },
  // Words: fields, names, types, values.
  ...Array.from({ length: 3 }, (): Mutation => (text, random) => {
    const word = anyMatch(text, /[A-Za-z_]{3,}/g, random);
    return (
      word &&
      splice(text, word.at, word.text.length, random.pick([misspell(word.text, random), random.pick(words)]))
    );
  }),
  (text, random) => {
    const [one, other] = [anyMatch(text, /[A-Za-z_]{3,}/g, random), anyMatch(text, /[A-Za-z_]{3,}/g, random)];
    return one && other && splice(text, one.at, one.text.length, other.text);
  },
  (text, random) => changeMatch(text, /:( .*)$/gm, random, () => `: ${random.pick(values)}`),
  // Tokens of expressions.
  (text, random) => changeMatch(text, /==|!=|<=|>=|&&|\|\||[<>!]/g, random, () => random.pick(operators)),
  (text, random) =>
    changeMatch(text, /(?:VALUE|SIZE|PARAM|BODY|TEXT|INTEGER|LIST|NULL)\b/g, random, () =>
      random.pick(functions),
    ),
  (text, random) => changeMatch(text, /\$[.[\]\w*-]*/g, random, () => random.pick(paths)),
  (text, random) =>
    changeMatch(text, /[()[\]{}]/g, random, () => random.pick(['', '(', ')', '[', ']', '{', '}', '(('])),
  (text, random) =>
    changeMatch(text, /\b\d+\b/g, random, () =>
      random.pick(['0', '-1', '1.5', '1e3', '99999999999999999999', 'x']),
    ),
  (text, random) =>
    changeMatch(text, /:\[([^\]]*)\]/g, random, (found) =>
      random.pick([`[${found.slice(2)}`, ':[', `${found}${found}`, ':[]', `{${found}}`]),
    ),
  // YAML.
  (text, random) =>
    changeMatch(text, /: /g, random, () => random.pick([':', ' ', ' : ', '\t: ', ':\t', '= '])),
  (text, random) =>
    changeMatch(text, /^( *)- /gm, random, (found) =>
      random.pick([found.replace('- ', ''), found.replace('- ', '-'), found.replace('- ', '- - ')]),
    ),
  (text, random) =>
    changeMatch(text, /^ +/gm, random, (found) =>
      random.pick([`${found} `, found.slice(1), found.replace(/ {2}/, '\t'), `${found}  `]),
    ),
  (text, random) => changeMatch(text, /['"]/g, random, () => random.pick(['', '"', "'", '`', '”'])),
  (text, random) =>
    changeMatch(text, /: (\S.*)$/gm, random, (found) =>
      random.pick([
        `: >-\n${found.slice(2)}`,
        `: |${found.slice(2)}`,
        ': *x',
        ': &x',
        ': !!str x',
        ': {',
        ': [',
        ': #',
        ': ""',
        ':',
      ]),
    ),
  // Long lines.
  (text, random) => {
    const at = random.below(text.length);
    return splice(
      text,
      at,
      0,
      random.pick(['(', ' ', 'x', ':[', '${A:', '[', '\t']).repeat(random.pick([100, 2000, 20_000])),
    );
  },
];

/** Changes that move lines. */
const moving: readonly Mutation[] = [
  (text, random) => lines(text, (all) => all.splice(random.below(all.length), 1)),
  (text, random) => lines(text, (all) => all.splice(random.below(all.length), 1 + random.below(6))),
  (text, random) =>
    lines(text, (all) => {
      const at = random.below(all.length);
      all.splice(at, 0, ...all.slice(at, at + 1 + random.below(5)));
    }),
  (text, random) =>
    lines(text, (all) => {
      const [one, other] = [random.below(all.length), random.below(all.length)];
      [all[one], all[other]] = [all[other] ?? '', all[one] ?? ''];
    }),
  (text, random) =>
    lines(text, (all) => {
      const block = all.splice(random.below(all.length), 1 + random.below(10));
      all.splice(random.below(all.length + 1), 0, ...block);
    }),
  (text, random) => text.slice(0, random.below(text.length)),
];

const characters = [
  'a',
  ' ',
  ':',
  '-',
  '#',
  '"',
  "'",
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ',',
  '$',
  '@',
  '%',
  '&',
  '*',
  '!',
  '|',
  '>',
  '\t',
  '\n',
  '\\',
  '\0',
  '=',
  '0',
  '.',
  '/',
  '?',
  'é',
  '\u00a0',
  '\u2028',
  '😀',
  '\r',
];
const words = [
  'name',
  'type',
  'READ',
  'UPDATE',
  'LOOP',
  'reference',
  'if',
  'query',
  'sql',
  'queries',
  'instructions',
  'fulfillments',
  'responses',
  'default',
  'statuscode',
  'schema',
  'list',
  'item',
  'index',
  'loopbreak',
  'join',
  'mappings',
  'param',
  'body',
  'null',
  'true',
  'news',
  'VALUE',
  'SELECT',
  'FROM',
  'WHERE',
  'GET',
  'constructor',
  '__proto__',
];
const values = [
  '""',
  '1',
  'true',
  'null',
  '[]',
  '{}',
  'x',
  "''",
  '>-',
  'TEXT()',
  'PARAM(x)',
  'LIST(3)',
  'SIZE(BODY())',
  'BODY()',
  '0',
  '-',
  '~',
  '*x',
  '200',
];
const operators = ['==', '!=', '<', '<=', '>', '>=', '&&', '||', '!', '=', '===', '<>', 'and', ''];
const functions = [
  'VALUE',
  'SIZE',
  'PARAM',
  'BODY',
  'TEXT',
  'INTEGER',
  'LIST',
  'NULL',
  'BOOLEAN',
  'DECIMAL',
  'STATUS',
  'VALUE_BY_INDEX',
  'STATUS_BY_INDEX',
  'MULTIPART_FILE',
  'Value',
  'COUNT',
];
const paths = [
  '$',
  '$.',
  '$.id',
  '$[0]',
  '$[*]',
  '$[-1].id',
  '$.a.b',
  '$[',
  "$['x y']",
  '',
  '$[0][0]',
  '$[*].id[*]',
];

/** One to three errors. `staysInPlace`: all lines have kept their positions. */
export function mutate(text: string, random: Random): { text: string; staysInPlace: boolean } {
  let [changed, staysInPlace] = [text, true];
  const count = random.chance(70) ? 1 : 1 + random.below(3);
  for (let at = 0; at < count; at += 1) {
    const moves = random.chance(20);
    const found = random.pick(moves ? moving : inPlace)(changed, random);
    if (found === undefined || found === '') continue;
    changed = found;
    staysInPlace &&= !moves;
  }
  return { text: changed, staysInPlace };
}

function splice(text: string, at: number, length: number, put: string): string {
  return text.slice(0, at) + put + text.slice(at + length);
}

function anyMatch(text: string, pattern: RegExp, random: Random): { at: number; text: string } | undefined {
  const all = [...text.matchAll(pattern)];
  const found = all.length === 0 ? undefined : random.pick(all);
  return found && { at: found.index, text: found[0] };
}

function changeMatch(
  text: string,
  pattern: RegExp,
  random: Random,
  change: (found: string) => string,
): string | undefined {
  const found = anyMatch(text, pattern, random);
  return found && splice(text, found.at, found.text.length, change(found.text));
}

function misspell(word: string, random: Random): string {
  const at = random.below(word.length - 1);
  return random.pick([
    splice(word, at, 1, ''),
    splice(word, at, 2, `${word[at + 1] ?? ''}${word[at] ?? ''}`),
    splice(word, at, 0, word[at] ?? ''),
    word.toUpperCase(),
  ]);
}

function lines(text: string, change: (all: string[]) => unknown): string {
  const all = text.split('\n');
  change(all);
  return all.join('\n');
}
