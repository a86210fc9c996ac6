/**
 * The columns that the values of an INSERT, REPLACE or UPDATE are passed to: MySQL and MariaDB do not report types of parameters, but they
 * report types of columns.
 */
import { listElements } from '../parse/list-elements.js';
import type { Stretch } from '../parse/operand.js';
import type { OutlineToken } from '../parse/outline.js';
import { wordSet } from '../lexer/word-set.js';

/**
 * A SELECT with one column for each placeholder: the column that its value is passed to, else NULL. Undefined if no value is passed to a
 * column directly, or if the statement changes several tables.
 */
export function columnsOf(items: readonly OutlineToken[], verb: OutlineToken): string | undefined {
  const reader = new Assignments(items);
  if (verb.word === 'UPDATE') reader.readUpdate(items.indexOf(verb) + 1);
  else if (verb.word === 'INSERT' || verb.word === 'REPLACE') reader.readInsert(items.indexOf(verb) + 1);
  const { table, columns } = reader;
  if (table === undefined || columns.size === 0) return undefined;
  const list = items.flatMap(({ token }, index) =>
    token.kind === 'placeholder' ? [columns.get(index) ?? 'NULL'] : [],
  );
  return `SELECT ${list.join(', ')} FROM ${table}`;
}

const modifiers = wordSet('LOW_PRIORITY DELAYED HIGH_PRIORITY IGNORE INTO');
const beforeList = wordSet('ALL DISTINCT DISTINCTROW');
const setOperators = wordSet('UNION EXCEPT INTERSECT');
const afterList = wordSet('FROM WHERE GROUP HAVING ORDER LIMIT ON FOR UNION EXCEPT INTERSECT');
const afterAssignment = wordSet(', WHERE ORDER LIMIT ON RETURNING');

class Assignments {
  table: string | undefined;
  /** The column of each item that is a placeholder and the whole value of the column. */
  readonly columns = new Map<number, string>();

  constructor(private readonly items: readonly OutlineToken[]) {}

  readUpdate(from: number): void {
    const at = this.readTable(from);
    // An alias of the table, or other tables: then a column's name may need its qualifier.
    if (this.word(at) === 'SET') this.readAssignments(at + 1);
    else this.table = undefined;
  }

  readInsert(from: number): void {
    let at = this.readTable(from);
    let names: readonly (string | undefined)[] = [];
    const open = this.items[at];
    if (open?.word === '(' && open.close !== -1) {
      names = this.elements(at, open.close).map(({ first, last }) => this.name(first, last));
      at = open.close + 1;
    }
    if (this.word(at) === 'SET') this.readAssignments(at + 1);
    else if (this.word(at) === 'VALUES' || this.word(at) === 'VALUE') this.readRows(at + 1, names);
    else if (this.word(at) === 'SELECT') this.readSelect(at + 1, names);
    else this.table = undefined;
  }

  private readTable(from: number): number {
    let at = from;
    while (modifiers.has(this.word(at))) at += 1;
    const first = at;
    while (this.isName(at) && this.word(at + 1) === '.') at += 2;
    this.table = this.name(first, at);
    return at + 1;
  }

  private readRows(from: number, names: readonly (string | undefined)[]): void {
    let at = from;
    for (let open = this.items[at]; open?.word === '(' && open.close !== -1; open = this.items[at]) {
      for (const [index, { first, last }] of this.elements(at, open.close).entries()) {
        this.add(first, last, names[index]);
      }
      at = open.close + 1;
      if (this.word(at) !== ',') break;
      at += 1;
    }
    this.readDuplicate(at);
  }

  /** `SELECT :[x], …`: the columns of one query, up to a `*`. */
  private readSelect(from: number, names: readonly (string | undefined)[]): void {
    const ends = this.items.flatMap((item, index) =>
      index >= from && item.parent === -1 && afterList.has(item.word) ? [index] : [],
    );
    if (ends.some((index) => setOperators.has(this.word(index)))) return;
    const start = beforeList.has(this.word(from)) ? from + 1 : from;
    for (const [index, { first, last }] of this.elements(start - 1, ends[0] ?? this.items.length).entries()) {
      if (this.word(last) === '*') break;
      this.add(first, last, names[index]);
    }
    for (const index of ends) this.readDuplicate(index);
  }

  /** `ON DUPLICATE KEY UPDATE a = …`, if it is that. */
  private readDuplicate(at: number): void {
    const isIt = ['ON', 'DUPLICATE', 'KEY', 'UPDATE'].every((word, index) => this.word(at + index) === word);
    if (isIt) this.readAssignments(at + 4);
  }

  /** `a = …, b = …` */
  private readAssignments(from: number): void {
    let at = from;
    for (;;) {
      const first = at;
      while (this.isName(at) && this.word(at + 1) === '.') at += 2;
      const name = this.name(first, at);
      if (name === undefined || this.word(at + 1) !== '=') return;
      const start = at + 2;
      const parent = this.items[first]?.parent;
      at = start;
      while (
        at < this.items.length &&
        !(this.items[at]?.parent === parent && afterAssignment.has(this.word(at)))
      ) {
        at += 1;
      }
      this.add(start, at - 1, name);
      if (this.word(at) !== ',') return;
      at += 1;
    }
  }

  /** Notes the placeholder that is the whole of it; `(:[x])` is what `:[x]` is. */
  private add(first: number, last: number, name: string | undefined): void {
    let [from, to] = [first, last];
    while (this.word(from) === '(' && this.items[from]?.close === to) [from, to] = [from + 1, to - 1];
    if (from === to && this.items[from]?.token.kind === 'placeholder' && name !== undefined) {
      this.columns.set(from, name);
    }
  }

  /** The items between the commas that are directly between the items `open` and `close`. */
  private elements(open: number, close: number): Stretch[] {
    return listElements(this.items, open + 1, close);
  }

  /** The name of the items, with its qualifiers. */
  private name(first: number, last: number): string | undefined {
    const range = this.items.slice(first, last + 1);
    const isName =
      range.length % 2 === 1 &&
      range.every((item, index) => (index % 2 === 1 ? item.word === '.' : this.isName(first + index)));
    return isName ? range.map(({ token }) => token.text).join('') : undefined;
  }

  private isName(index: number): boolean {
    const kind = this.items[index]?.token.kind;
    return kind === 'word' || kind === 'quoted-name';
  }

  private word(index: number): string {
    return this.items[index]?.word ?? '';
  }
}
