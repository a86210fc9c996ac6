/** Places of values in HTML: how a value is escaped there, and places where no value is safe. */
import type { Expression, Template } from '../expression/ast.js';

/** `text`: between tags; `attribute`: in an attribute that is no link; `link`: the beginning of a link; `link part`: a later part of a link. */
export type HtmlPlace = 'text' | 'attribute' | 'link' | 'link part';

export interface HtmlValue {
  readonly value: Expression;
  readonly place: HtmlPlace;
}

export type HtmlPart = string | HtmlValue;

/** A value where no escaping is safe, or a link that mails must not have. */
export type HtmlProblem =
  | { readonly kind: 'place'; readonly value: Expression; readonly where: string }
  | { readonly kind: 'link'; readonly written: string };

export interface ReadHtml {
  readonly parts: readonly HtmlPart[];
  readonly problems: readonly HtmlProblem[];
}

/** Attributes that are only shown or only have an effect on the layout. */
const plainAttributes =
  /^(?:alt|title|width|height|class|id|name|align|valign|bgcolor|color|lang|dir|colspan|rowspan|border|cellpadding|cellspacing|role|aria-[a-z]+|data-[a-z\d-]+)$/;
/** Tags whose `href` or `src` is a link that is followed or shown, not a program or a page inside of the mail. */
const linkTags: ReadonlySet<string> = new Set(['a', 'area', 'img']);
/** Elements whose content is no markup. */
const rawElements: ReadonlySet<string> = new Set([
  ...['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'noscript', 'plaintext'],
]);
const goodLink = /^(?:https:\/\/|mailto:|#)/i;

export function readHtml(template: Template): ReadHtml {
  const scanner = new Scanner();
  const parts: HtmlPart[] = [];
  const problems: HtmlProblem[] = [];
  for (const part of template) {
    if (typeof part === 'string') {
      problems.push(...scanner.text(part));
      parts.push(part);
      continue;
    }
    const place = scanner.value();
    if ('where' in place) problems.push({ kind: 'place', value: part, where: place.where });
    parts.push({ value: part, place: 'where' in place ? 'text' : place.place });
  }
  return { parts, problems };
}

type State =
  | 'text'
  | 'tag'
  | 'name'
  | 'before attribute'
  | 'attribute'
  | 'after attribute'
  | 'before value'
  | 'double'
  | 'single'
  | 'unquoted'
  | 'comment'
  | 'declaration'
  | 'raw';

/** Follows the states of an HTML parser that determine the meaning of a value. */
class Scanner {
  #state: State = 'text';
  #tag = '';
  #isEnd = false;
  #attribute = '';
  /** The value of the attribute so far; a value of a placeholder is a NUL. */
  #value = '';
  /** The last characters of a comment or raw element. */
  #tail = '';

  /** Scans a text; returns the links in it that mails must not have. */
  text(text: string): HtmlProblem[] {
    const problems: HtmlProblem[] = [];
    for (const character of text) {
      const link = this.#next(character);
      if (link !== undefined && !goodLink.test(link.trim()) && !link.startsWith('\0'))
        problems.push({ kind: 'link', written: link.replaceAll('\0', '…') });
    }
    return problems;
  }

  /** The place of a value, or why no value is safe there. */
  value(): { readonly place: HtmlPlace } | { readonly where: string } {
    switch (this.#state) {
      case 'text':
        return { place: 'text' };
      case 'double':
      case 'single':
        return this.#inAttribute();
      case 'before value':
      case 'unquoted':
        this.#state = 'unquoted';
        return { where: 'an attribute without quotes' };
      case 'comment':
      case 'declaration':
        return { where: 'a comment' };
      case 'raw':
        return { where: `<${this.#tag}>` };
      case 'tag':
      case 'name':
      case 'before attribute':
      case 'attribute':
      case 'after attribute':
        return { where: 'a tag' };
    }
  }

  #inAttribute(): { readonly place: HtmlPlace } | { readonly where: string } {
    const before = this.#value;
    this.#value += '\0';
    if (plainAttributes.test(this.#attribute)) return { place: 'attribute' };
    if (!this.#isLink || !linkTags.has(this.#tag))
      return { where: `the attribute ${this.#attribute} of <${this.#tag}>` };
    if (before.trim() === '') return { place: 'link' };
    // The value would choose the host, or the end of it.
    if (/^(?:https:\/\/|\0)[^/?#]*$/i.test(before.trim())) return { where: 'the host of a link' };
    return { place: 'link part' };
  }

  get #isLink(): boolean {
    return this.#attribute === 'href' || this.#attribute === 'src';
  }

  /** Returns a link that ends with the character. */
  #next(character: string): string | undefined {
    // Other white space, such as a no-break space, is a part of names and values.
    const isSpace = /[\t\n\f\r ]/.test(character);
    switch (this.#state) {
      case 'text':
        if (character === '<') this.#state = 'tag';
        return undefined;
      case 'tag':
        this.#isEnd = character === '/';
        this.#tag = '';
        this.#tail = '';
        if (character === '!' || character === '?') this.#state = 'declaration';
        else if (/[a-z]/i.test(character)) {
          this.#tag = character.toLowerCase();
          this.#state = 'name';
        } else this.#state = character === '/' ? 'name' : 'text';
        return undefined;
      case 'name':
        if (character === '>') this.#endTag();
        else if (isSpace || character === '/') this.#state = 'before attribute';
        else this.#tag += character.toLowerCase();
        return undefined;
      case 'before attribute':
        if (character === '>') this.#endTag();
        else if (!isSpace && character !== '/') this.#beginAttribute(character);
        return undefined;
      case 'attribute':
      case 'after attribute':
        if (character === '>') this.#endTag();
        else if (character === '=') this.#state = 'before value';
        else if (character === '/') this.#state = 'before attribute';
        else if (isSpace) this.#state = 'after attribute';
        else if (this.#state === 'attribute') this.#attribute += character.toLowerCase();
        else this.#beginAttribute(character);
        return undefined;
      case 'before value':
        if (character === '"') this.#state = 'double';
        else if (character === "'") this.#state = 'single';
        else if (character === '>') this.#endTag();
        else if (!isSpace) {
          this.#value = character;
          this.#state = 'unquoted';
        }
        return undefined;
      case 'double':
      case 'single':
        if (character !== (this.#state === 'double' ? '"' : "'")) {
          this.#value += character;
          return undefined;
        }
        this.#state = 'before attribute';
        return this.#isLink ? this.#value : undefined;
      case 'unquoted': {
        if (!isSpace && character !== '>') {
          this.#value += character;
          return undefined;
        }
        const link = this.#isLink ? this.#value : undefined;
        if (character === '>') this.#endTag();
        else this.#state = 'before attribute';
        return link;
      }
      case 'declaration':
        this.#tail += character;
        if (this.#tail === '--') {
          // `<!-->` is a whole comment.
          this.#state = 'comment';
        } else if (character === '>') this.#state = 'text';
        return undefined;
      case 'comment':
        this.#tail = (this.#tail + character).slice(-4);
        if (/--!?>$/.test(this.#tail)) this.#state = 'text';
        return undefined;
      case 'raw': {
        const end = `</${this.#tag}`;
        this.#tail = (this.#tail + character.toLowerCase()).slice(-end.length - 1);
        if (this.#tail.startsWith(end) && /[\s/>]$/.test(this.#tail)) {
          this.#isEnd = true;
          if (character === '>') this.#endTag();
          else this.#state = 'before attribute';
        }
        return undefined;
      }
    }
  }

  #beginAttribute(character: string): void {
    this.#attribute = character.toLowerCase();
    this.#value = '';
    this.#state = 'attribute';
  }

  #endTag(): void {
    this.#tail = '';
    this.#state = !this.#isEnd && rawElements.has(this.#tag) ? 'raw' : 'text';
  }
}
