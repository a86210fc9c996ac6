/** Parses large YAML files lazily by indentation: maps on the outer levels are parsed only when their entries are accessed. */
import { Recording } from '../../diagnostics/recording.js';
import { Anchor, type Source } from '../../source.js';
import { LaterMap } from './later-map.js';
import type { Entry, Node, ScalarNode } from './node.js';
import { PartedText } from './parted-text.js';
import { parseYaml } from './yaml-document.js';
import { NodeBuilder } from './yaml-nodes.js';
import { scalarText } from './scalar-span.js';

/** The tree of a YAML file; undefined if the lines alone do not determine its structure and the whole file must be parsed. */
export function readYamlLater(source: Source): Node | undefined {
  // Anchors and documents affect the whole file.
  if (/^(?:---|\.\.\.|\t)|: &\w|^ *- &\w|^ *<<:|: \*\w/m.test(source.text.replace(/^\s*---[ \t]*\n/, '\n')))
    return undefined;
  const start = /^\s*---[ \t]*\n/.exec(source.text)?.[0].length ?? 0;
  const entries = new LaterYaml(source).entries(start, source.text.length, 0);
  return entries && new LaterMap({ source, start, end: source.text.length }, () => entries);
}

/** The number of map levels found by indentation: sections, their maps, and the entries of these maps. */
const levelsOfLater = 4;

/** A key that can be read without a parser, with nothing after its colon. */
const keyLine = /^(?:"([^"\\\n]*)"|'([^'\n]*)'|([\w$/~][^\n#"']*?)):[ \t]*(?:#[^\n]*)?\r?$/;

class LaterYaml {
  constructor(private readonly source: Source) {}

  /** The entries of the map in this range; undefined if it is not a map. */
  entries(start: number, end: number, level: number): Entry[] | undefined {
    const lines = this.#keyLines(start, end);
    if (lines === undefined) return undefined;
    const { starts, indent } = lines;
    const entries: Entry[] = [];
    for (const [index, line] of starts.entries()) {
      const found = this.#entry(line, starts[index + 1] ?? end, indent, level);
      if (found === undefined) return undefined;
      entries.push(...found);
    }
    return entries;
  }

  /** The starts of the lines with the outermost keys, and their indentation. */
  #keyLines(start: number, end: number): { starts: number[]; indent: number } | undefined {
    const { text } = this.source;
    const starts: number[] = [];
    let indent: number | undefined;
    for (let line = start; line < end; line = nextLine(text, line)) {
      let at = line;
      while (text[at] === ' ') at += 1;
      const first = text[at];
      if (first === undefined || first === '\n' || first === '\r' || first === '#') continue;
      indent ??= at - line;
      if (at - line < indent) return undefined;
      // List items can have the same indentation as their key.
      if (at - line > indent || /^-[ \n\r]/.test(text.slice(at, at + 2))) continue;
      starts.push(line);
    }
    return indent === undefined || starts[0] === undefined ? undefined : { starts, indent };
  }

  #entry(start: number, end: number, indent: number, level: number): Entry[] | undefined {
    const { source } = this;
    const inside = nextLine(source.text, start);
    const written = source.text.slice(start + indent, inside).replace(/\n$/, '');
    const [, double, single, plain] = keyLine.exec(written) ?? [];
    const name = double ?? single ?? plain;
    const content = /^\s*(?:#[^\n]*\n\s*)*(\S[^\n]*)/.exec(
      source.text.slice(inside, Math.min(end, inside + 5000)),
    )?.[1];
    const isMap =
      content !== undefined && /^(?!-\s)(?:"[^"\n]*"|'[^'\n]*'|[\w$/~][^\n]*?):(?:\s|$)/.test(content);
    const isString = plain === undefined || !/^(?:[-+.]?\d|\.|~|(?:true|false|null)$)/i.test(plain);
    if (name === undefined || !isString || !isMap) return this.#parsed(start, end);
    const key = this.#key(start + indent, name, double !== undefined, single !== undefined);
    const span = { source, start: inside, end };
    const value = new LaterMap(
      span,
      () =>
        (level < levelsOfLater ? this.entries(inside, end, level + 1) : undefined) ??
        this.#parsed(inside, end) ??
        [],
    );
    return [{ key, value }];
  }

  #key(start: number, name: string, isDouble: boolean, isSingle: boolean): ScalarNode {
    const isQuoted = isDouble || isSingle;
    const end = start + name.length + (isQuoted ? 2 : 0);
    const style = isDouble ? 'QUOTE_DOUBLE' : isSingle ? 'QUOTE_SINGLE' : 'PLAIN';
    const text = scalarText(this.source, start, end, style, name);
    return { kind: 'scalar', value: name, text, style: isQuoted ? 'quoted' : 'plain', span: text.span };
  }

  /** The entries found by the YAML parser in this range; undefined unless it is a map without errors. */
  #parsed(start: number, end: number): Entry[] | undefined {
    const { source } = this;
    const part = { text: source.text.slice(start, end), anchor: new Anchor(source, start) };
    const fixed = new PartedText(source, [part]);
    const document = parseYaml(part.text);
    if (document.errors.length > 0) return undefined;
    const unheard = new Recording();
    const node = new NodeBuilder({ document, fixed, holes: new Set(), lost: [] }, unheard).root();
    return node?.kind === 'map' ? [...node.entries] : undefined;
  }
}

function nextLine(text: string, line: number): number {
  const end = text.indexOf('\n', line);
  return end === -1 ? text.length : end + 1;
}
