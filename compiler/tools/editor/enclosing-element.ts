/** The type of the current element, `@`, at a position. */
import type { AnalyzedOperation } from '../../analyze/operations/analyzed-operation.js';
import { tryExpression } from '../../read/expression/parse/parse.js';
import { wholeText } from '../../read/source.js';
import { elementOf } from '../../analyze/types/infer.js';
import { unknownValue } from '../../analyze/types/known-types.js';
import type { ValueType } from '../../analyze/types/value-type.js';
import { typeOfExpression, typeOfName, type Visible } from './readable-values.js';
import type { PathTarget } from './path-target.js';
import type { YamlPath } from './yaml-path.js';

/** The current element: of the `list` that belongs to the innermost enclosing `item`, or else of the innermost loop. */
export function elementAt(
  text: string,
  path: YamlPath,
  { inner }: PathTarget,
  analyzed: AnalyzedOperation,
  visible: readonly Visible[],
  offset: number,
): ValueType | undefined {
  if (inner.some((step) => step.kind === 'key' && step.name === 'item')) {
    const list = listBeside(text, path.start, path.column);
    const expression =
      list === undefined ? undefined : tryExpression(wholeText('', list), analyzed.operation.syntax);
    if (expression === undefined) return unknownValue;
    const name = 'name' in expression ? expression.name : undefined;
    const known = visible.find(({ fulfillment }) => fulfillment.name.value === name);
    if (known !== undefined && expression.kind === 'value' && expression.path.length === 0)
      return elementOf(typeOfName(analyzed, known, offset));
    return elementOf(typeOfExpression(analyzed, expression, offset));
  }
  const loop = visible.filter(({ isElement }) => isElement).at(-1);
  return loop === undefined ? undefined : typeOfName(analyzed, loop, offset);
}

/** The text after `list:` in the same map as the nearest `item:` above. */
function listBeside(text: string, start: number, column: number): string | undefined {
  const lines = text.slice(0, start).split('\n');
  let item: number | undefined;
  const inLine = /\blist:\s*(?:"([^"]*)"|'([^']*)'|([^,}]*(?:\([^)]*\))?))\s*,\s*item:/.exec(
    text.slice(text.lastIndexOf('\n', start) + 1).split('\n')[0] ?? '',
  );
  if (inLine !== null) return (inLine[1] ?? inLine[2] ?? inLine[3] ?? '').trim();
  let min = column + 1;
  if (/^ *item:/.test(text.slice(text.lastIndexOf('\n', start - 1) + 1))) item = column;
  for (const line of lines.reverse()) {
    const [, indent = '', key = '', value = ''] = /^((?: |- +)*)([\w]+):\s*(.*)$/.exec(line) ?? [];
    if (key === '') continue;
    if (item === undefined && key === 'item' && indent.length < min) item = indent.length;
    else if (item !== undefined && key === 'list' && indent.length === item)
      return value.replaceAll(/^['"]|['"]$/g, '');
    min = Math.min(min, Math.max(indent.length, item ?? 0) + (item === undefined ? 0 : 1));
    if (item !== undefined && indent.length < item) return undefined;
  }
  return undefined;
}
