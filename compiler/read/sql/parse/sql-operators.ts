/** Infix and postfix operators, and their precedence. */
import type { Dialect } from '../dialect.js';
import type { Item } from './tree.js';

export interface Infix {
  /** The operator in upper case, including NOT: `NOT IN`, `IS NOT NULL`. */
  readonly operator: string;
  /** The index of the item after the operator. */
  readonly next: number;
  readonly precedence: number;
  readonly form: 'infix' | 'chain' | 'between' | 'postfix' | 'cast' | 'subscript' | 'field';
}

/** Operators from lowest to highest precedence. */
const ranks: Readonly<Record<Dialect, readonly (readonly string[])[]>> = {
  postgresql: [
    ['OR'],
    ['AND'],
    ['NOT'],
    ['IS'],
    ['=', '<', '>', '<=', '>=', '<>', '!='],
    ['BETWEEN', 'IN', 'LIKE', 'ILIKE', 'SIMILAR TO', 'OVERLAPS'],
    ['other'],
    ['+', '-'],
    ['*', '/', '%'],
    ['^'],
    ['AT'],
    ['COLLATE'],
    ['prefix -', 'prefix +'],
    ['::', '[', '.'],
  ],
  mysql: [
    [':='],
    ['OR', '||'],
    ['XOR'],
    ['AND', '&&'],
    ['NOT'],
    ['BETWEEN'],
    [
      '=',
      '<=>',
      '<',
      '>',
      '<=',
      '>=',
      '<>',
      '!=',
      'IS',
      'LIKE',
      'SOUNDS LIKE',
      'REGEXP',
      'RLIKE',
      'IN',
      'MEMBER OF',
    ],
    ['|', 'other'],
    ['&'],
    ['<<', '>>'],
    ['+', '-'],
    ['*', '/', 'DIV', '%', 'MOD'],
    ['^'],
    ['prefix -', 'prefix +', 'prefix ~', 'prefix !'],
    ['COLLATE', '->', '->>', 'AT'],
    ['::', '[', '.'],
  ],
};

const rankOf: Readonly<Record<Dialect, ReadonlyMap<string, number>>> = {
  postgresql: numbered(ranks.postgresql),
  mysql: numbered(ranks.mysql),
};

function numbered(levels: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  return new Map(levels.flatMap((level, rank) => level.map((operator) => [operator, rank + 1] as const)));
}

/** The precedence of an operator. All other PostgreSQL operators share one level. */
export function precedence(dialect: Dialect, operator: string): number {
  const known = rankOf[dialect];
  return known.get(operator) ?? known.get('other') ?? 0;
}

const characters = '+-*/<>=~!@#%^&|`?';
const ofMysql = /^(?:<=>|->>|<<|>>|<=|>=|<>|!=|&&|\|\||->|.)/;

/** The operator made of the adjacent operator characters at the index, and the index of the item after it. */
export function operatorAt(
  items: readonly Item[],
  index: number,
  end: number,
  dialect: Dialect,
): { readonly text: string; readonly next: number } | undefined {
  let next = index;
  let text = '';
  for (let item = items[next]; item !== undefined && next < end; item = items[next]) {
    const { kind, text: written, start } = item.token;
    const isPart = (kind === 'operator' || kind === 'question') && characters.includes(written.charAt(0));
    if (!isPart || (next > index && items[next - 1]?.token.end !== start)) break;
    text += written;
    next += 1;
  }
  if (text === '') return undefined;
  let used = text;
  if (dialect === 'mysql') used = ofMysql.exec(text)?.[0] ?? text;
  // `a=-1`: an operator cannot end with a sign unless it contains one of these characters.
  else if (!/[~!@#%^&|`?]/.test(text)) used = withoutSigns(text);
  return { text: used, next: used === text ? next : index + used.length };
}

/** The operator without trailing signs; a sign alone is an operator. */
function withoutSigns(text: string): string {
  let end = text.length;
  while (end > 1 && '+-'.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

const negatable = ['BETWEEN', 'IN', 'LIKE', 'ILIKE', 'SIMILAR', 'REGEXP', 'RLIKE'];
const named = new Set(['OR', 'AND', 'XOR', 'DIV', 'MOD', 'COLLATE', 'OVERLAPS']);

/** The operator that follows an operand at that index; undefined if there is none. */
export function infixAt(
  items: readonly Item[],
  index: number,
  end: number,
  dialect: Dialect,
): Infix | undefined {
  const { word: first = '', token } = items[index] ?? {};
  const kind = token?.kind;
  if (index >= end || (kind !== 'word' && kind !== 'operator' && kind !== 'question')) return undefined;
  if (first === ',' || first === ')' || first === '(') return undefined;
  const word = (offset: number): string => (index + offset < end ? (items[index + offset]?.word ?? '') : '');
  const infix = (operator: string, length: number, form: Infix['form'], like = operator): Infix => ({
    ...{ operator, form, next: index + length, precedence: precedence(dialect, like) },
  });
  if (first === '::') return infix('::', 1, 'cast');
  if (first === '[') return dialect === 'postgresql' ? infix('[', 1, 'subscript') : undefined;
  if (first === '.')
    return index + 1 < end && items[index + 1]?.token.kind !== 'placeholder'
      ? infix('.', 2, 'field')
      : undefined;
  if (first === ':=') return infix(':=', 1, 'infix');
  const operator = operatorAt(items, index, end, dialect);
  if (operator !== undefined) {
    const { text, next } = operator;
    // `@` begins a variable.
    if (text === '@' && dialect === 'mysql') return undefined;
    return infix(text, next - index, text === '||' && dialect === 'mysql' ? 'chain' : 'infix');
  }
  if (kind !== 'word') return undefined;
  const isNot = first === 'NOT';
  const [not, at] = isNot ? (['NOT ', 1] as const) : (['', 0] as const);
  const main = word(at);
  if (isNot && !negatable.includes(main)) return undefined;
  if (main === 'BETWEEN') {
    const isSymmetric = /^A?SYMMETRIC$/.test(word(at + 1));
    return infix(`${not}BETWEEN`, at + (isSymmetric ? 2 : 1), 'between', 'BETWEEN');
  }
  if (main === 'SIMILAR')
    return word(at + 1) === 'TO' ? infix(`${not}SIMILAR TO`, at + 2, 'infix', 'SIMILAR TO') : undefined;
  if (main === 'ILIKE' && dialect === 'mysql') return undefined;
  if (/^(?:REGEXP|RLIKE)$/.test(main) && dialect === 'postgresql') return undefined;
  if (negatable.includes(main)) return infix(`${not}${main}`, at + 1, 'infix', main);
  if (main === 'IS') return isTest(word, infix);
  if (main === 'ISNULL' || main === 'NOTNULL')
    return dialect === 'postgresql'
      ? infix(main === 'ISNULL' ? 'IS NULL' : 'IS NOT NULL', 1, 'postfix', 'IS')
      : undefined;
  if (main === 'AT' && word(1) === 'TIME' && word(2) === 'ZONE')
    return infix('AT TIME ZONE', 3, 'infix', 'AT');
  if (main === 'AT' && word(1) === 'LOCAL') return infix('AT LOCAL', 2, 'postfix', 'AT');
  if (main === 'SOUNDS' && word(1) === 'LIKE') return infix('SOUNDS LIKE', 2, 'infix');
  if (main === 'MEMBER' && word(1) === 'OF') return infix('MEMBER OF', 2, 'infix');
  if (main === 'OPERATOR' && word(1) === '(' && dialect === 'postgresql')
    return qualified(items, index, infix);
  const isNamed =
    named.has(main) && (dialect === 'mysql' ? main !== 'OVERLAPS' : !/^(?:XOR|DIV|MOD)$/.test(main));
  return isNamed ? infix(main, 1, main === 'AND' || main === 'OR' ? 'chain' : 'infix') : undefined;
}

type Build = (operator: string, length: number, form: Infix['form'], like?: string) => Infix;

/** `IS [NOT] NULL`, `IS [NOT] DISTINCT FROM`, `IS NFC NORMALIZED`, `IS JSON OBJECT` … */
function isTest(word: (offset: number) => string, infix: Build): Infix {
  const at = word(1) === 'NOT' ? 2 : 1;
  const start = at === 2 ? 'IS NOT' : 'IS';
  if (word(at) === 'DISTINCT' && word(at + 1) === 'FROM')
    return infix(`${start} DISTINCT FROM`, at + 2, 'infix', 'IS');
  if (/^NFK?[CD]$/.test(word(at)) && word(at + 1) === 'NORMALIZED')
    return infix(`${start} NORMALIZED`, at + 2, 'postfix', 'IS');
  if (word(at) === 'JSON') {
    const kind = /^(?:VALUE|ARRAY|OBJECT|SCALAR)$/.test(word(at + 1)) ? 1 : 0;
    return infix(`${start} JSON`, at + 1 + kind, 'postfix', 'IS');
  }
  const isKnown = /^(?:NULL|TRUE|FALSE|UNKNOWN|DOCUMENT|NORMALIZED)$/.test(word(at));
  return isKnown ? infix(`${start} ${word(at)}`, at + 1, 'postfix', 'IS') : infix(start, at, 'infix', 'IS');
}

/** `OPERATOR(pg_catalog.+)` */
function qualified(items: readonly Item[], index: number, infix: Build): Infix | undefined {
  const close = items[index + 1]?.close ?? -1;
  if (close === -1) return undefined;
  const text = items
    .slice(index + 2, close)
    .map(({ token }) => token.text)
    .join('');
  return infix(text, close + 1 - index, 'infix', 'other');
}
