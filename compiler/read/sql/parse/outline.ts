/** The significant tokens (no white space, no comments), each with its parenthesis and clause. */
import type { Token } from '../lexer/token.js';
import { itemsOf } from './parser.js';
import type { Item } from './tree.js';
import { wordSet } from '../lexer/word-set.js';

export interface OutlineToken extends Item {
  /** Index of the item `(` around this one; -1 outside all parentheses. */
  readonly parent: number;
  /** For `(`: true if it contains a statement, which has clauses of its own. */
  opensStatement: boolean;
  /** The last clause keyword before it inside the same parentheses, such as FROM or ORDER; empty if there is none. */
  readonly clause: string;
  /** True inside `[ … ]` of the same parentheses, where PostgreSQL's colon makes a slice. */
  readonly inBrackets: boolean;
}

/** Words that begin a statement with clauses of its own, inside parentheses too. */
const statementWords = wordSet('SELECT WITH INSERT UPDATE DELETE MERGE REPLACE VALUES TABLE');

const clauseWords = wordSet(`
  SELECT FROM JOIN ON USING WHERE HAVING LIMIT OFFSET FETCH SET VALUES RETURNING INTO UNION INTERSECT
  EXCEPT WINDOW FOR
`);

/** Clauses that parentheses have without being a statement: `array_agg(x ORDER BY y)`. */
const sortWords = wordSet('ORDER GROUP PARTITION');

interface Frame {
  readonly open: number;
  readonly isStatement: boolean;
  clause: string;
  /** The brackets that are open in it. */
  brackets: number;
}

export function outlineOf(tokens: readonly Token[]): OutlineToken[] {
  const items: OutlineToken[] = [];
  const frames: Frame[] = [];
  let frame: Frame = { open: -1, isStatement: true, clause: '', brackets: 0 };
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'space' || token.kind === 'comment') continue;
    const word = token.kind === 'word' || token.kind === 'operator' ? token.text.toUpperCase() : '';
    const last = items.at(-1);
    const around = items[frame.open];
    if (around !== undefined && beginsStatement(word, items, frame)) {
      around.opensStatement = true;
      frame = { ...frame, isStatement: true };
    }
    if (word === ')' && frame.open !== -1) {
      const open = items[frame.open];
      if (open !== undefined) open.close = items.length;
      frame = frames.pop() ?? frame;
    }
    if (last?.word !== '.' && opensClause(word, last, frame)) frame.clause = word;
    if (word === '[') frame.brackets += 1;
    if (word === ']') frame.brackets -= 1;
    const { open, clause } = frame;
    const inBrackets = frame.brackets > 0;
    items.push({ token, index, word, parent: open, close: -1, opensStatement: false, clause, inBrackets });
    if (word === '(') {
      frames.push(frame);
      frame = { open: items.length - 1, isStatement: false, clause: '', brackets: 0 };
    }
  }
  // Of brackets too.
  for (const [index, { close }] of itemsOf(tokens).entries()) Object.assign(items[index] ?? {}, { close });
  return items;
}

/** The index of the parenthesis that the one at `close` closes; -1 if there is none. */
export function openOf(items: readonly OutlineToken[], close: number): number {
  for (let index = close - 1; index >= 0; index -= 1) if (items[index]?.close === close) return index;
  return -1;
}

/** The clause that the token is in, or the parentheses around it. */
export function clauseAround(item: OutlineToken, items: readonly OutlineToken[]): string {
  let around: OutlineToken | undefined = item;
  while (around !== undefined && around.clause === '') around = items[around.parent];
  return around?.clause ?? '';
}

/** Words that may follow a statement in parentheses: `((SELECT …) UNION (SELECT …) LIMIT 1)`. */
const behindStatement = wordSet('UNION INTERSECT EXCEPT MINUS ORDER LIMIT OFFSET FETCH');

/** Whether the word makes the content of the innermost parenthesis a statement. */
function beginsStatement(
  word: string,
  items: readonly OutlineToken[],
  { open, isStatement }: Frame,
): boolean {
  if (isStatement) return false;
  const last = items.length - 1;
  if (open === last) return statementWords.has(word);
  // The parenthesis begins with another one, around a statement, which has just been closed.
  const first = items[open + 1];
  return first?.opensStatement === true && first.close === last && behindStatement.has(word);
}

function opensClause(word: string, last: OutlineToken | undefined, frame: Frame): boolean {
  // `1 AS order`: a name.
  if (last?.word === 'AS' && !statementWords.has(word)) return false;
  // `mode() WITHIN GROUP (ORDER BY a)`
  if (word === 'GROUP' && last?.word === 'WITHIN') return false;
  if (sortWords.has(word)) return true;
  // `IS [NOT] DISTINCT FROM` compares.
  if (word === 'FROM' && last?.word === 'DISTINCT') return false;
  // So does DISTINCT ON, which belongs to the list of columns.
  if (word === 'ON' && last?.word === 'DISTINCT') return false;
  return frame.isStatement && clauseWords.has(word);
}
