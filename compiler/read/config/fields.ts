/** Reads the fields of a resource: each accessor checks the kind of the value and reports errors. */
import type { Expression } from '../expression/ast.js';
import type { Notation } from '../expression/notation.js';
import { parseExpression } from '../expression/parse/parse.js';
import type { Report } from '../diagnostics/report.js';
import { spanBeside, type WithSpan, type Span, type ScalarText } from '../source.js';
import type { FieldSpans } from './config-model.js';
import { checkReferences } from './environment-reference.js';
import { warnOfCutText } from './yaml/cut-text.js';
import {
  headSpan,
  isOneOfMany,
  reportEmpty,
  reportMissing,
  reportStrange,
  reportWrongItem,
  reportWrongKind,
  type FieldContext,
} from './field-findings.js';
import {
  isBroken,
  isEmpty,
  type Entry,
  type ListNode,
  type MapNode,
  type Node,
  type ScalarNode,
} from './yaml/node.js';
import { requiredIn, type FieldTable } from './field-table.js';
import { meantWord, typesWith } from './meant-fields.js';
import { inSentence } from './resource-map.js';

/** The fields allowed for one type of a resource whose types have different fields. */
export interface OwnFields {
  readonly type: string;
  readonly fields: readonly string[];
  /** Fields that are not allowed for this type but get another diagnostic. */
  readonly reported?: readonly string[];
}

/** Fields that may be empty strings: credentials can be empty, and empty SQL is reported by the SQL parser. */
const mayBeEmpty: ReadonlySet<string> = new Set(['user', 'password', 'licence', 'query']);

/** The map of a resource, with the fields that it can have. */
export class Fields {
  readonly #entries = new Map<string, Entry>();
  readonly #required = new Set<string>();
  /** True if there is an unknown field that does not resemble any known field. */
  readonly hasStrangeField: boolean;
  #context: FieldContext;

  /** Reports misspelled fields and reads them as the intended field, so that their content is checked, too. */
  constructor(
    /** The resource in user terms, with its name if any: `Fulfillment 'news'`. */
    readonly resource: string,
    readonly map: MapNode,
    private readonly table: FieldTable,
    readonly report: Report,
    own?: OwnFields,
    /** The key of the resource, if any. */
    readonly key?: ScalarNode,
  ) {
    this.#context = { resource, table, map, key, report, examples: {} };
    const known = Object.keys(table);
    const strange: Entry[] = [];
    for (const entry of map.entries) {
      const field = entry.key.text.value;
      if (!known.includes(field)) strange.push(entry);
      else if (!this.#entries.has(field)) this.#entries.set(field, entry);
      if (
        own !== undefined &&
        known.includes(field) &&
        ![...own.fields, ...(own.reported ?? [])].includes(field)
      ) {
        const { type, fields } = own;
        report.add('field-of-other-type', entry.key.span, {
          ...{ resource, field, type, fields },
          known: typesWith(field, fields),
        });
      }
    }
    const fields = own?.fields ?? known.filter((field) => table[field]?.isDeprecated !== true);
    const meant = strange.map((entry) => {
      const field = reportStrange(entry, fields, this.#context);
      if (field !== undefined && !this.#entries.has(field)) this.#entries.set(field, entry);
      return field;
    });
    this.hasStrangeField = meant.includes(undefined);
  }

  get spans(): FieldSpans {
    return new Map([...this.#entries].map(([field, entry]) => [field, entry.key.span]));
  }

  has(field: string): boolean {
    return this.#entries.has(field);
  }

  node(field: string): Node | undefined {
    return this.#entries.get(field)?.value;
  }

  /** The fields of a map nested in this one; undefined if the field is missing. */
  inside(
    field: string,
    table: FieldTable,
    resource = `'${field}' of ${inSentence(this.resource)}`,
  ): Fields | undefined {
    const map = this.mapping(field);
    return map && new Fields(resource, map, table, this.report);
  }

  /**
   * Reports missing fields at the map's key or first field: by default all required fields of the table. `examples` contains likely values.
   * Call once, before reading the fields.
   */
  require(fields = requiredIn(this.table), examples: FieldContext['examples'] = {}): void {
    this.#context = { ...this.#context, examples };
    for (const field of fields) this.#required.add(field);
    const missing = fields.filter((field) => !this.has(field));
    // If the map contains only unknown fields, each key has already been reported.
    const isStrange = this.hasStrangeField && this.#entries.size === 0;
    if (missing.length > 0 && !isStrange && !this.map.isIncomplete) reportMissing(missing, this.#context);
  }

  /** The span of the resource's first key, used for diagnostics about the whole resource. */
  get headSpan(): Span {
    return headSpan(this.map);
  }

  /** The string as written: `0123` is not read as a number. Reports an empty string unless the field may be empty. */
  text(field: string): ScalarText | undefined {
    const text = this.#scalar(field, 'a string')?.text;
    const entry = this.#entries.get(field);
    if (entry === undefined || text === undefined || mayBeEmpty.has(field) || text.value.trim() !== '')
      return text;
    this.#reportEmpty(entry);
    return undefined;
  }

  /** A string that can contain environment references. Reports invalid references and strings cut off by YAML. */
  textWithReferences(field: string): ScalarText | undefined {
    warnOfCutText(this.node(field), false, this.report);
    const text = this.text(field);
    checkReferences(text, this.report);
    return text;
  }

  stringWithSpan(field: string): WithSpan<string> | undefined {
    const text = this.text(field);
    return text && { value: text.value, span: text.span };
  }

  expression(field: string, notation: Notation): Expression | undefined {
    const text = this.#scalar(field, field === 'if' ? 'a condition' : 'an expression')?.text;
    return text && parseExpression(text, notation, this.report);
  }

  integer(field: string): WithSpan<number> | undefined {
    return this.#number(field, 'a whole number', /^-?\d+$/);
  }

  /** A number with an optional decimal point. */
  number(field: string): WithSpan<number> | undefined {
    return this.#number(field, 'a number', /^\d+(?:\.\d+)?$/);
  }

  #number(field: string, what: string, form: RegExp): WithSpan<number> | undefined {
    const { min = 0, max = 0 } = this.table[field] ?? {};
    const expected = `${what} from ${min} to ${max}`;
    const scalar = this.#scalar(field, expected);
    if (scalar === undefined) return undefined;
    const value = form.test(scalar.text.value) ? Number(scalar.text.value) : Number.NaN;
    if (value >= min && value <= max) return { value, span: scalar.span };
    reportWrongKind(field, scalar, expected, this.#context);
    return undefined;
  }

  boolean(field: string): boolean | undefined {
    const scalar = this.#scalar(field, 'true or false');
    const text = scalar?.text.value.toLowerCase();
    if (text === 'true' || text === 'false') return text === 'true';
    if (scalar !== undefined) reportWrongKind(field, scalar, 'true or false', this.#context);
    return undefined;
  }

  /** One of the words, ignoring letter case; returns the usual spelling. Words that other fields rule out are not suggested. */
  word<Word extends string>(
    field: string,
    words: readonly Word[],
    isPossible?: (meant: Word) => boolean,
  ): WithSpan<Word> | undefined {
    const scalar = this.#scalar(field, `one of ${words.join(', ')}`);
    return scalar && this.#wordOf(scalar, field, words, isPossible);
  }

  #wordOf<Word extends string>(
    scalar: ScalarNode,
    field: string,
    words: readonly Word[],
    isPossible: (meant: Word) => boolean = () => true,
  ): WithSpan<Word> | undefined {
    const written = scalar.text.value;
    const word = words.find((candidate) => candidate.toLowerCase() === written.toLowerCase());
    if (word !== undefined) return { value: word, span: scalar.span };
    const meant = meantWord(written, words);
    const nearest = meant !== undefined && isPossible(meant) ? meant : undefined;
    this.report.add('unknown-word', scalar.span, { field, written, words, nearest });
    return undefined;
  }

  list(field: string): ListNode | undefined {
    return this.#kind(field, 'list', 'a list (lines that begin with a dash)');
  }

  mapping(field: string): MapNode | undefined {
    return this.#kind(field, 'map', 'a map (lines of the form `key: value`)');
  }

  /** A map without required fields; also undefined if its whole content is commented out. */
  section(field: string): MapNode | undefined {
    const node = this.#entries.get(field)?.value;
    return node !== undefined && isEmpty(node) ? undefined : this.mapping(field);
  }

  /** The maps in a list. Reports and skips items that are not maps. A single item without its dash is reported and read. */
  maps(field: string, itemName: string, markers: readonly string[] = ['name', 'if']): MapNode[] {
    const node = this.node(field);
    const list = this.list(field);
    if (node?.kind === 'map')
      return node.entries.some(({ key }) => markers.includes(key.text.value)) ? [node] : [];
    return (list?.items ?? []).flatMap((item) => {
      if (item.kind === 'map') return [item];
      if (isBroken(item)) return [];
      const span =
        isEmpty(item) && list !== undefined
          ? spanBeside(item.span, item.span.start, item.span.start, item.span.scalar)
          : item.span;
      reportWrongItem(field, itemName, item, span, this.#context);
      return [];
    });
  }

  /** A list of names; other items are reported and left out, and so is an empty list. `example`: such a name. */
  names(field: string, example: string, expected = 'a name'): readonly WithSpan<string>[] {
    this.requireItems(field);
    return (this.list(field)?.items ?? []).flatMap((item) => {
      if (isBroken(item)) return [];
      if (item.kind === 'scalar' && !isEmpty(item)) return [{ value: item.text.value, span: item.span }];
      this.report.add('wrong-kind', item.span, {
        what: `An item of '${field}'`,
        expected,
        example: `${field}: ['${example}']`,
      });
      return [];
    });
  }

  /** Reports a list without items. */
  requireItems(field: string): void {
    const entry = this.#entries.get(field);
    if (entry?.value.kind === 'list' && entry.value.items.length === 0) this.#reportEmpty(entry);
  }

  #kind<Kind extends 'list' | 'map'>(
    field: string,
    kind: Kind,
    expected: string,
  ): Extract<Node, { kind: Kind }> | undefined {
    const entry = this.#entries.get(field);
    if (entry === undefined || isBroken(entry.value)) return undefined;
    if (entry.value.kind === kind) return entry.value as Extract<Node, { kind: Kind }>;
    if (isEmpty(entry.value)) this.#reportEmpty(entry);
    else if (!isOneOfMany(entry, field, this.table))
      reportWrongKind(field, entry.value, expected, this.#context);
    return undefined;
  }

  #scalar(field: string, expected: string): ScalarNode | undefined {
    const entry = this.#entries.get(field);
    if (entry === undefined || isBroken(entry.value)) return undefined;
    if (isEmpty(entry.value)) this.#reportEmpty(entry);
    else if (entry.value.kind === 'scalar') return entry.value;
    else reportWrongKind(field, entry.value, expected, this.#context);
    return undefined;
  }

  #reportEmpty(entry: Entry): void {
    reportEmpty(entry, this.#required.has(entry.key.text.value), this.#context);
  }
}
