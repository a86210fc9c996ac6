/**
 * Lays out a document in a width, as prettier's printer does: a group is on one line if there is room for it and for what follows up to the
 * next line break. Groups keep what was measured, so that those inside others are measured once.
 */
import { fill, isList, lastFormOf, join, line, type Doc, type Group, type Line } from './doc.js';

/** The columns that a text takes. */
export type WidthOf = (text: string) => number;

export function printDoc(doc: Doc, width: number, widthOf: WidthOf): string {
  return new Printer(doc, width, widthOf).print();
}

class Printer {
  #written = '';
  /** The current line. */
  #line = '';
  #column = 0;
  /** What is still to be printed, the next one last: documents, whether their lines are line breaks, and their indentation. */
  readonly #docs: Doc[];
  readonly #broken = [true];
  readonly #indents = [0];
  /** Whether there was a line break in a group on one line: the next group is measured all the same. */
  #isAfterBreak = false;

  constructor(
    doc: Doc,
    private readonly width: number,
    private readonly widthOf: WidthOf,
  ) {
    this.#docs = [doc];
  }

  print(): string {
    for (let doc = this.#docs.pop(); doc !== undefined; doc = this.#docs.pop())
      this.#print(doc, this.#broken.pop() === true, this.#indents.pop() ?? 0);
    return this.#written + this.#line;
  }

  #push(doc: Doc, isBroken: boolean, spaces: number): void {
    this.#docs.push(doc);
    this.#broken.push(isBroken);
    this.#indents.push(spaces);
  }

  #print(doc: Doc, isBroken: boolean, spaces: number): void {
    if (typeof doc === 'string') {
      this.#line += doc;
      this.#column += this.widthOf(doc);
      return;
    }
    if (isList(doc)) {
      for (let index = doc.length - 1; index >= 0; index--) this.#push(doc[index] ?? '', isBroken, spaces);
      return;
    }
    switch (doc.kind) {
      case 'line':
        this.#printLine(doc, isBroken, spaces);
        break;
      case 'group':
        this.#printGroup(doc, isBroken, spaces);
        break;
      case 'indent':
        this.#push(doc.contents, isBroken, doc.of?.isBroken === false ? spaces : spaces + doc.spaces);
        break;
      case 'choice':
        this.#push((doc.of?.isBroken ?? isBroken) ? doc.broken : doc.flat, isBroken, spaces);
        break;
      case 'fill':
        this.#printFill(doc.items, spaces);
    }
  }

  #printLine({ text, isHard, isLiteral }: Line, isBroken: boolean, spaces: number): void {
    if (!isBroken && !isHard) {
      this.#line += text;
      this.#column += text.length;
      return;
    }
    if (!isBroken) this.#isAfterBreak = true;
    this.#written += `${isLiteral ? this.#line : this.#line.trimEnd()}\n`;
    this.#column = isLiteral ? 0 : spaces;
    this.#line = ' '.repeat(this.#column);
  }

  #printGroup(group: Group, isBroken: boolean, spaces: number): void {
    const { contents, forms, id } = group;
    let form: Doc | undefined = contents;
    let breaks = group.isBroken;
    if (isBroken || this.#isAfterBreak) {
      this.#isAfterBreak = false;
      if (breaks) form = undefined;
      else if (!this.#hasRoom(contents)) form = forms.find((one) => this.#hasRoom(one));
      breaks = form === undefined;
      form ??= lastFormOf(group);
    }
    if (id !== undefined) id.isBroken = breaks;
    this.#push(form, breaks, spaces);
  }

  #printFill([first = '', second, ...others]: readonly Doc[], spaces: number): void {
    if (second !== undefined) {
      this.#push(fill([second, ...others]), true, spaces);
      this.#push(line, !this.#hasRoom([first, line, second], 0), spaces);
    }
    this.#push(first, !this.#hasRoom(first, 0), spaces);
  }

  /** Whether there is room for it on one line, and behind it for so many of those that are still to be printed. */
  #hasRoom(doc: Doc, followers = this.#docs.length): boolean {
    let left = this.width - this.#column;
    let taken = this.#roomOf(doc, false);
    for (let index = this.#docs.length - 1; taken >= 0; index--) {
      left -= taken;
      if (left < 0 || this.#docs.length - index > followers) return left >= 0;
      taken = this.#roomOf(this.#docs[index] ?? '', this.#broken[index] === true);
    }
    return ~taken <= left;
  }

  /** The width up to the first line break: its complement, a negative number, if there is one. */
  #roomOf(doc: Doc, isBroken: boolean): number {
    if (typeof doc === 'string') return this.widthOf(doc);
    if (isList(doc)) {
      let width = 0;
      for (const part of doc) {
        const room = this.#roomOf(part, isBroken);
        if (room < 0) return ~(width + ~room);
        width += room;
      }
      return width;
    }
    switch (doc.kind) {
      case 'line':
        return isBroken || doc.isHard ? ~0 : doc.text.length;
      case 'group':
        if (isBroken || doc.isBroken) return (doc.broken ??= this.#roomOf(lastFormOf(doc), true));
        return (doc.flat ??= this.#roomOf(doc.contents, false));
      case 'indent':
        return this.#roomOf(doc.contents, isBroken);
      case 'choice':
        return this.#roomOf((doc.of?.isBroken ?? isBroken) ? doc.broken : doc.flat, isBroken);
      case 'fill':
        return this.#roomOf(join(line, doc.items), isBroken);
    }
  }
}
