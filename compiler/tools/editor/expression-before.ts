/** The expression that is being written at a position, as far as the position. */
import type { PathTarget } from './path-target.js';
import type { YamlPath } from './yaml-path.js';

/** The kinds of fields with expressions. */
const expressions = [
  ...['expression', 'condition', 'conditions', 'schema'],
  ...['schemas', 'expressions', 'mappings'],
];

/** Its text; undefined if no expression is being written. */
export function expressionBefore(path: YamlPath, { field }: PathTarget): string | undefined {
  // The quotes of YAML around it.
  const written = path.before.replace(/^\s*["']/, '');
  if (isInForm(path)) return written;
  if (field === undefined) return undefined;
  const { info, name } = field;
  if (expressions.includes(info.holds ?? '')) return written;
  const isTemplate = info.holds === 'headers' || ['query', 'url', 'message'].includes(name);
  const open = path.before.lastIndexOf(':[');
  const inPlaceholder = path.before.slice(open + 2);
  return isTemplate && open >= 0 && !closes(inPlaceholder) ? inPlaceholder : undefined;
}

/** Whether it is the body of a form of `settings.errors`. */
export function isInForm({ steps }: YamlPath): boolean {
  const [first, second, ...others] = keysOf(steps);
  return first === 'settings' && second === 'errors' && others.includes('schema');
}

export function keysOf(steps: YamlPath['steps']): string[] {
  return steps.flatMap((step) => (step.kind === 'key' ? [step.name] : []));
}

/** Whether the placeholder that begins before the text ends in it. */
function closes(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '[') depth += 1;
    if (character === ']') depth -= 1;
    if (depth < 0) return true;
  }
  return false;
}
