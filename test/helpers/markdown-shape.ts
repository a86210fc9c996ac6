/** The structure of a Markdown page without its texts. */
import prettier from 'prettier';

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly url?: string;
  readonly children?: readonly Node[];
}

/** The kinds of a page's nodes in order, except text and code spans. */
export async function markdownShape(page: string): Promise<string[]> {
  const { ast } = await (
    prettier as unknown as {
      __debug: { parse: (text: string, options: object) => Promise<{ ast: Node }> };
    }
  ).__debug.parse(page, { parser: 'markdown' });
  const shape: string[] = [];
  const follow = (node: Node, depth: number): void => {
    // Code containing `|` is written as an HTML element.
    if (/^<\/?code>$/.test(node.value ?? '')) return;
    if (!['text', 'inlineCode', 'sentence', 'word', 'whitespace'].includes(node.type))
      shape.push(`${' '.repeat(depth)}${node.type} ${node.url ?? ''}`);
    for (const child of node.children ?? []) follow(child, depth + 1);
  };
  follow(ast, 0);
  return shape;
}
