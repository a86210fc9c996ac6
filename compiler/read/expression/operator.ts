/** The spellings of operators, correct and incorrect. */
import type { ComparisonOperator } from './ast.js';
import type { Scanner } from './parse/scanner.js';

type Operator = ComparisonOperator | '&&' | '||';

/** Spellings of operators, including incorrect ones. Longer ones precede their own prefixes. */
const spellings: readonly (readonly [written: string, operator: Operator])[] = [
  ['===', '=='],
  ['==', '=='],
  ['!==', '!='],
  ['!=', '!='],
  ['<>', '!='],
  ['=<', '<='],
  ['<=', '<='],
  ['=>', '>='],
  ['>=', '>='],
  ['=', '=='],
  ['<', '<'],
  ['>', '>'],
  ['&&', '&&'],
  ['&', '&&'],
  ['||', '||'],
  ['|', '||'],
  ['≠', '!='],
  ['≤', '<='],
  ['≥', '>='],
];

/** Words used as operators in other languages. */
const words: Readonly<Record<string, Operator>> = {
  ...{ and: '&&', or: '||', eq: '==', ne: '!=' },
  ...{ lt: '<', le: '<=', lte: '<=', gt: '>', ge: '>=', gte: '>=' },
};

/** An operator, and its spelling in the source. */
export interface Found {
  readonly written: string;
  readonly operator: Operator;
}

/** The operator that follows. In a placeholder, a misspelled operator may belong to the surrounding text, so it does not count. */
export function nextOperator(scanner: Scanner): Found | undefined {
  const word = scanner.peek(/(?:(?:and|or)(?![\p{L}\p{M}\p{N}_.-])|(?:eq|ne|lt|le|gt|ge|lte|gte)(?=\s))/iuy);
  const operator = word === undefined ? undefined : words[word.toLowerCase()];
  const found: Found | undefined =
    word === undefined || operator === undefined ? nextSymbol(scanner) : { written: word, operator };
  return scanner.inPlaceholder && found?.written !== found?.operator ? undefined : found;
}

function nextSymbol(scanner: Scanner): Found | undefined {
  if (scanner.startsWith('=~')) return undefined;
  const symbol = spellings.find(([written]) => scanner.startsWith(written));
  return symbol === undefined ? undefined : { written: symbol[0], operator: symbol[1] };
}

/** Whether the next characters cannot begin an operand. */
export function atOperandEnd(scanner: Scanner): boolean {
  return scanner.atEnd || /[)\],]/.test(scanner.next) || nextSymbol(scanner) !== undefined;
}
