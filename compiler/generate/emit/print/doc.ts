/** Documents as prettier's printer has them: texts, lines and groups. Only those that generated code needs. */

export type Doc = string | readonly Doc[] | Line | Group | Indent | Choice | Fill;

export interface Line {
  readonly kind: 'line';
  /** Its text where it is no line break. */
  readonly text: '' | ' ';
  /** Whether it is a line break in any case. */
  readonly isHard: boolean;
  /** Whether the next line has no indentation. */
  readonly isLiteral: boolean;
}

/** Its lines are line breaks, or none of them is. */
export interface Group {
  readonly kind: 'group';
  readonly contents: Doc;
  /** The forms that it may have, its contents first, if there are several: the first one for which there is room, or the last one. */
  readonly forms: readonly Doc[];
  readonly isBroken: boolean;
  /** Whether the groups around it are broken. */
  readonly breaksOthers: boolean;
  readonly willBreak: boolean;
  readonly id: GroupId | undefined;
  /** The room that it takes on one line, and broken, once it is measured. */
  flat: number | undefined;
  broken: number | undefined;
}

/** Whether a group is broken, for documents that depend on it; known when the group is printed. */
export interface GroupId {
  isBroken: boolean;
}

interface Indent {
  readonly kind: 'indent';
  readonly contents: Doc;
  readonly spaces: number;
  /** It is indented if this group is broken. */
  readonly of: GroupId | undefined;
}

interface Choice {
  readonly kind: 'choice';
  readonly broken: Doc;
  readonly flat: Doc;
  /** The group that decides, instead of that around it. */
  readonly of: GroupId | undefined;
}

/** As many texts on a line as there is room for. */
interface Fill {
  readonly kind: 'fill';
  readonly items: readonly Doc[];
}

export const line: Line = { kind: 'line', text: ' ', isHard: false, isLiteral: false };
export const softline: Line = { kind: 'line', text: '', isHard: false, isLiteral: false };
export const hardline: Line = { kind: 'line', text: '', isHard: true, isLiteral: false };
export const literalline: Line = { kind: 'line', text: '', isHard: true, isLiteral: true };

export function group(contents: Doc, shouldBreak = false, id?: GroupId): Doc {
  const isBroken = shouldBreak || breaksOthers(contents);
  return {
    kind: 'group',
    contents,
    forms: [],
    isBroken,
    breaksOthers: isBroken,
    willBreak: isBroken || willBreak(contents),
    id,
    flat: undefined,
    broken: undefined,
  };
}

/** A group of several forms, which is not broken by what is in it; `breaksOthers` if those around it are broken. */
export function conditionalGroup(forms: readonly [Doc, ...Doc[]], breaksOthers = false): Doc {
  const [contents] = forms;
  return {
    kind: 'group',
    contents,
    forms,
    isBroken: false,
    breaksOthers,
    willBreak: breaksOthers || willBreak(contents),
    id: undefined,
    flat: undefined,
    broken: undefined,
  };
}

export function indent(contents: Doc, of?: GroupId): Doc {
  return { kind: 'indent', contents, spaces: 2, of };
}

export function ifBreak(broken: Doc, flat: Doc = '', of?: GroupId): Doc {
  return { kind: 'choice', broken, flat, of };
}

export function fill(items: readonly Doc[]): Doc {
  return { kind: 'fill', items };
}

export function join(separator: Doc, docs: readonly Doc[]): Doc {
  return docs.map((doc, index) => (index === 0 ? doc : [separator, doc]));
}

/** Whether it has a line break in any case. */
export function willBreak(doc: Doc): boolean {
  return someIn(doc, (one) => (one.kind === 'group' ? one.willBreak : one.isHard));
}

function breaksOthers(doc: Doc): boolean {
  return someIn(doc, (one) => (one.kind === 'group' ? one.breaksOthers : one.isHard));
}

/** Whether it has a line. */
export function canBreak(doc: Doc): boolean {
  return someIn(doc, (one) => one.kind === 'line' || canBreak(one.contents));
}

/** Whether `is` is true for a line or a group in it; for groups as a whole. */
function someIn(doc: Doc, is: (one: Line | Group) => boolean): boolean {
  if (typeof doc === 'string') return false;
  if (isList(doc)) return doc.some((one) => someIn(one, is));
  switch (doc.kind) {
    case 'line':
    case 'group':
      return is(doc);
    case 'indent':
      return someIn(doc.contents, is);
    case 'choice':
      return someIn(doc.broken, is) || someIn(doc.flat, is);
    case 'fill':
      return someIn(doc.items, is);
  }
}

export function isList(doc: Doc): doc is readonly Doc[] {
  return Array.isArray(doc);
}

/** On one line, but for lines that are line breaks in any case. */
export function removeLines(doc: Doc): Doc {
  if (typeof doc === 'string') return doc;
  if (isList(doc)) return doc.map(removeLines);
  switch (doc.kind) {
    case 'line':
      return doc.isHard ? doc : doc.text;
    case 'group':
      return group(removeLines(doc.contents), doc.isBroken, doc.id);
    case 'indent':
      return { ...doc, contents: removeLines(doc.contents) };
    case 'choice':
      return removeLines(doc.flat);
    case 'fill':
      return join(' ', doc.items.map(removeLines));
  }
}
