/** Reads the fields of one resource: each accessor checks the kind of its value and reports what is wrong with it. */
import { parseExpression } from '../expression/parse.js';
import type { Expression, Syntax } from '../expression/ast.js';
import type { Report } from '../diagnostics/report.js';
import { nearest } from '../diagnostics/suggest.js';
import type { Located, Place, ScalarText } from '../source.js';
import type { FieldPlaces } from './model.js';
import { isEmpty, type Entry, type ListNode, type MapNode, type Node, type ScalarNode } from './node.js';

/** A map that stands for a resource, with the fields that the resource may have. */
export class Fields {
  readonly #entries = new Map<string, Entry>();

  constructor(
    /** The resource in the user's words, with its name where it has one: `Fulfillment 'news'`. */
    readonly resource: string,
    readonly map: MapNode,
    known: readonly string[],
    readonly report: Report,
  ) {
    for (const entry of map.entries) {
      const field = entry.key.text.value;
      if (known.includes(field)) this.#entries.set(field, entry);
      else
        report.add('unknown-field', entry.key.place, {
          resource,
          field,
          nearest: nearest(field, known),
          known,
        });
    }
  }

  get places(): FieldPlaces {
    return new Map([...this.#entries].map(([field, entry]) => [field, entry.key.place]));
  }

  has(field: string): boolean {
    return this.#entries.has(field);
  }

  node(field: string): Node | undefined {
    return this.#entries.get(field)?.value;
  }

  /** Reports that a required field is missing, at the resource's first key. */
  require(...fields: readonly string[]): void {
    for (const field of fields) {
      if (!this.has(field))
        this.report.add('missing-field', this.headPlace, { resource: this.resource, field });
    }
  }

  /** The resource's first key: a place to speak of the whole. */
  get headPlace(): Place {
    return this.map.entries[0]?.key.place ?? this.map.place;
  }

  /** A text, taken as it is written (decisions 1.7). */
  text(field: string): ScalarText | undefined {
    const scalar = this.#scalar(field, 'a text');
    return scalar?.text;
  }

  located(field: string): Located<string> | undefined {
    const text = this.text(field);
    return text && { value: text.value, place: text.place };
  }

  expression(field: string, syntax: Syntax): Expression | undefined {
    const text = this.text(field);
    return text && parseExpression(text, syntax, this.report);
  }

  integer(field: string, least: number, most: number): Located<number> | undefined {
    const expected = `a whole number from ${least} to ${most}`;
    const scalar = this.#scalar(field, expected);
    if (scalar === undefined) return undefined;
    const value = /^-?\d+$/.test(scalar.text.value) ? Number(scalar.text.value) : Number.NaN;
    if (value >= least && value <= most) return { value, place: scalar.place };
    this.#wrongKind(field, scalar, expected);
    return undefined;
  }

  boolean(field: string): boolean | undefined {
    const scalar = this.#scalar(field, 'true or false');
    const text = scalar?.text.value.toLowerCase();
    if (text === 'true' || text === 'false') return text === 'true';
    if (scalar !== undefined) this.#wrongKind(field, scalar, 'true or false');
    return undefined;
  }

  /** One of the words, in any letter case (decisions 1.2); given in the spelling of the specification. */
  word<Word extends string>(field: string, words: readonly Word[]): Located<Word> | undefined {
    const scalar = this.#scalar(field, oneOf(words));
    if (scalar === undefined) return undefined;
    const written = scalar.text.value;
    const word = words.find((candidate) => candidate.toLowerCase() === written.toLowerCase());
    if (word !== undefined) return { value: word, place: scalar.place };
    const suggestion = nearest(written, words);
    this.report.add('unknown-word', scalar.place, {
      field,
      written,
      words: oneOf(words),
      nearest: suggestion,
    });
    return undefined;
  }

  list(field: string): ListNode | undefined {
    return this.#kind(field, 'list', 'a list (lines that begin with a dash)');
  }

  mapping(field: string): MapNode | undefined {
    return this.#kind(field, 'map', 'a map (lines of the form `key: value`)');
  }

  /** The items of a list of maps; other items are reported and left out. */
  maps(field: string, itemName: string): MapNode[] {
    return (this.list(field)?.items ?? []).flatMap((item) => {
      if (item.kind === 'map') return [item];
      this.report.add('wrong-kind', item.place, {
        what: `An item of '${field}'`,
        expected: `${itemName}, written as a map (\`key: value\`)`,
      });
      return [];
    });
  }

  #kind<Kind extends 'list' | 'map'>(
    field: string,
    kind: Kind,
    expected: string,
  ): Extract<Node, { kind: Kind }> | undefined {
    const entry = this.#entries.get(field);
    if (entry === undefined) return undefined;
    if (entry.value.kind === kind) return entry.value as Extract<Node, { kind: Kind }>;
    if (isEmpty(entry.value)) this.#empty(entry);
    else this.#wrongKind(field, entry.value, expected);
    return undefined;
  }

  #scalar(field: string, expected: string): ScalarNode | undefined {
    const entry = this.#entries.get(field);
    if (entry === undefined) return undefined;
    if (isEmpty(entry.value)) this.#empty(entry);
    else if (entry.value.kind === 'scalar') return entry.value;
    else this.#wrongKind(field, entry.value, expected);
    return undefined;
  }

  #empty(entry: Entry): void {
    this.report.add('empty-field', entry.key.place, { resource: this.resource, field: entry.key.text.value });
  }

  #wrongKind(field: string, node: Node, expected: string): void {
    this.report.add('wrong-kind', node.place, {
      what: `'${field}' of ${inSentence(this.resource)}`,
      expected,
    });
  }
}

/** A resource's name in the middle of a sentence. */
function inSentence(resource: string): string {
  return resource.charAt(0).toLowerCase() + resource.slice(1);
}

export function oneOf(words: readonly string[]): string {
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}` : words.join('');
}
