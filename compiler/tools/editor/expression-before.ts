/** The part of an expression before the position at which it is being written. */
import type { PathTarget } from './path-target.js';
import type { YamlPath } from './yaml-path.js';

/** Kinds of fields that contain expressions. */
const expressions = [
  ...['expression', 'condition', 'conditions', 'schema'],
  ...['schemas', 'expressions', 'mappings'],
];

/** Undefined if no expression is being written. */
export function expressionBefore(path: YamlPath, { field }: PathTarget): string | undefined {
  // Without the quotes of a YAML string.
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

/** Whether the position is in an error body of `settings.errors`. */
export function isInForm({ steps }: YamlPath): boolean {
  const [first, second, ...others] = keysOf(steps);
  return first === 'settings' && second === 'errors' && others.includes('schema');
}

export function keysOf(steps: YamlPath['steps']): string[] {
  return steps.flatMap((step) => (step.kind === 'key' ? [step.name] : []));
}

/** Whether the text closes the placeholder that starts before it. */
function closes(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '[') depth += 1;
    if (character === ']') depth -= 1;
    if (depth < 0) return true;
  }
  return false;
}
