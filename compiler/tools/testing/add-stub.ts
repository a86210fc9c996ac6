/** Adds a stub to a stub file, after the other stubs of its third party. The rest of the file is unchanged. */
import { entryOf, isEmpty, type Entry, type MapNode, type Node } from '../../read/config/yaml/node.js';
import { yaml } from '../../notation/yaml-writer.js';
import { startOfLine, type Source } from '../../read/source.js';

/** The text of a stub file with a single stub. */
export function firstStub(datasource: string, stub: object): string {
  return `${heading}${yaml.lines({ datasources: { [datasource]: [stub] } })}`;
}

/** Header of a recorded stub file. */
const heading =
  '# The responses of third parties under apikiln dev. Recorded by dev --record; secrets are left out.\n';

/**
 * The text of the file with the stub; undefined if the file has an unsupported style, such as braces. `root` is the content of the file.
 */
export function withStub(
  source: Source,
  root: MapNode,
  datasource: string,
  stub: object,
): string | undefined {
  const datasources = entryOf(root, 'datasources');
  const third = datasources?.value;
  if (datasources !== undefined && third !== undefined && isEmpty(third))
    return isFlow(source, root) ? undefined : below(source, datasources, { [datasource]: [stub] });
  if (third?.kind !== 'map' || isFlow(source, third)) return undefined;
  const own = entryOf(third, datasource)?.value;
  if (own === undefined) {
    const [first] = third.entries;
    return first && behind(source, third, yaml.lines({ [datasource]: [stub] }), first.key.span.start);
  }
  if (own.kind !== 'list' || isFlow(source, own)) return undefined;
  return behind(source, own, yaml.lines([stub]), own.span.start);
}

function isFlow({ text }: Source, { span }: Node): boolean {
  return '{['.includes(text.charAt(span.start));
}

/** Adds the value to a key without a value. */
function below(source: Source, { key }: Entry, value: object): string {
  const lines = yaml.lines(value).replaceAll(/^(?=.)/gm, '  ');
  return behind(source, key, lines, key.span.start);
}

/** Inserts the text after the last line of the node, indented like the character at `like`. */
function behind(source: Source, node: Node, written: string, like: number): string {
  const { text } = source;
  const indent = ' '.repeat(like - startOfLine(source, like));
  const last = text.slice(0, node.span.end).trimEnd().length;
  const at = text.indexOf('\n', last);
  const end = at === -1 ? text.length : at;
  const lines = written
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? line : indent + line));
  return `${text.slice(0, end)}\n${lines.join('\n')}${text.slice(end)}`;
}
