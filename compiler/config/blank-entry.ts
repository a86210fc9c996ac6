/** Takes one operation, datasource or other entry of a section out of the text, when YAML cannot read its lines. */
import type { Place, Source } from '../source.js';

interface Line {
  readonly start: number;
  readonly indentation: number;
}

/**
 * The text with the entry around `offset` blanked (its name stays where it can), and the place of the entry.
 * Undefined when the offset is in no entry of a section, or there is nothing to blank.
 */
export function blankEntry(
  source: Source,
  text: string,
  offset: number,
): { readonly text: string; readonly place: Place } | undefined {
  const lines = linesOf(text);
  const at = lines.findLastIndex(({ start }) => start <= offset);
  const section = lines.findLastIndex(({ indentation }, index) => index <= at && indentation === 0);
  const first = lines[section + 1];
  if (section === -1 || section === at || first === undefined) return undefined;
  const isEntry = ({ indentation }: Line): boolean => indentation <= first.indentation;
  const entry = lines.findLastIndex((line, index) => index <= at && isEntry(line));
  const next = lines.find((line, index) => index > entry && isEntry(line));
  const { start } = lines[entry] ?? first;
  const end = next?.start ?? text.length;
  const kept = lines[at]?.start === start ? placeholderKey(text, start) : nameOf(text.slice(start, end));
  const blank = kept + text.slice(start + kept.length, end).replaceAll(/[^\r\n]/g, ' ');
  if (blank === text.slice(start, end)) return undefined;
  return { text: text.slice(0, start) + blank + text.slice(end), place: { source, start, end } };
}

/** The name of the entry with its colon, so that others can refer to it. */
function nameOf(entry: string): string {
  return /^ *(?:'[^'\n]*'|"[^"\n]*"|[^\s'"#:-][^:\n]*):(?=\s)/.exec(entry)?.[0] ?? '';
}

/** A name as long as the line, for an entry whose own name cannot be read. */
function placeholderKey(text: string, start: number): string {
  const end = text.indexOf('\n', start);
  const line = text.slice(start, end === -1 ? undefined : end).trimEnd();
  const indentation = line.length - line.replace(/^ +/, '').length;
  return line.length - indentation < 2
    ? ''
    : `${' '.repeat(indentation)}${'x'.repeat(line.length - indentation - 1)}:`;
}

/** Lines that hold something, comments aside. */
function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (const match of text.matchAll(/^([ \t]*)[^\s#]/gm)) {
    lines.push({ start: match.index, indentation: match[1]?.length ?? 0 });
  }
  return lines;
}
