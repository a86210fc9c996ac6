/** How operators are written, correctly and by mistake. */
import type { ComparisonOperator } from './ast.js';
import type { Scanner } from './parse/scanner.js';

type Operator = ComparisonOperator | '&&' | '||';

/** How operators are written, and how they are written by mistake; a longer one before its own prefix. */
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

/** Words of other languages for operators. */
const words: Readonly<Record<string, Operator>> = {
  ...{ and: '&&', or: '||', eq: '==', ne: '!=' },
  ...{ lt: '<', le: '<=', lte: '<=', gt: '>', ge: '>=', gte: '>=' },
};

/** An operator, and how it is written. */
export interface Found {
  readonly written: string;
  readonly operator: Operator;
}

/** The operator that follows. In a placeholder a misspelt one may belong to the text around it, so it is not an operator. */
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
