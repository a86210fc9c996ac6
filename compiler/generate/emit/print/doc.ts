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
  /** Other forms that it may have: the first one for which there is room. */
  readonly forms: readonly Doc[];
  /** The form where there is room for none of them, if that is not its contents; made only then, as it may be all of it once more. */
  readonly lastForm: (() => Doc) | undefined;
  readonly isBroken: boolean;
  /** Whether the groups around it are broken. */
  readonly breaksOthers: boolean;
  readonly willBreak: boolean;
  readonly id: GroupId | undefined;
  /** The last form, once it is made. */
  made: Doc | undefined;
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

const noForms: readonly Doc[] = [];

export function group(contents: Doc, shouldBreak = false, id?: GroupId): Doc {
  // What breaks others breaks itself.
  const breaksInside = shouldBreak || willBreak(contents);
  const isBroken = shouldBreak || (breaksInside && breaksOthers(contents));
  return {
    kind: 'group',
    contents,
    forms: noForms,
    lastForm: undefined,
    isBroken,
    breaksOthers: isBroken,
    willBreak: breaksInside,
    id,
    made: undefined,
    flat: undefined,
    broken: undefined,
  };
}

/** A group of several forms, which is not broken by what is in it; `breaksOthers` if those around it are broken. */
export function conditionalGroup(
  [contents, ...forms]: readonly [Doc, ...Doc[]],
  lastForm: () => Doc,
  breaksOthers = false,
): Doc {
  return {
    kind: 'group',
    contents,
    forms,
    lastForm,
    isBroken: false,
    breaksOthers,
    willBreak: breaksOthers || willBreak(contents),
    id: undefined,
    made: undefined,
    flat: undefined,
    broken: undefined,
  };
}

/** Its form where there is room for no other. */
export function lastFormOf(group: Group): Doc {
  return (group.made ??= group.lastForm?.() ?? group.contents);
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
  if (isList(doc)) {
    for (const one of doc) if (someIn(one, is)) return true;
    return false;
  }
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
