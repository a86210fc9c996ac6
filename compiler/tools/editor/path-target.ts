/** The target of a YAML path in a configuration: a map of a certain kind, or the value of a field. */
import { fieldInfo, type FieldInfo, type Kind } from '../../read/config/field-table.js';
import type { PathStep } from './yaml-path.js';

export interface PathTarget {
  /** The map that the path ends in, or that contains `field`. */
  readonly kind: Kind | undefined;
  /** The field whose value contains the end of the path. */
  readonly field: { readonly name: string; readonly info: FieldInfo } | undefined;
  /** Whether the path ends in a map of that kind, so that its keys are fields. */
  readonly isMap: boolean;
  /** Steps inside the field: keys of a schema, of parameters, of mappings. */
  readonly inner: readonly PathStep[];
  /** The section and the operation, datasource or authentication on the path. */
  readonly section: string | undefined;
  readonly entry: string | undefined;
}

/** Resolves a path from the root of the file. */
export function pathTargetOf(steps: readonly PathStep[]): PathTarget {
  const [section, entry] = steps.map((step) => (step.kind === 'key' ? step.name : undefined));
  const entryNames = { section, entry };
  let kind: Kind = 'configuration';
  for (let index = 0; index < steps.length;) {
    const step = steps[index];
    const info: FieldInfo | undefined = step?.kind === 'key' ? fieldInfo(kind, step.name) : undefined;
    if (step?.kind !== 'key' || info === undefined)
      return { kind: undefined, field: undefined, isMap: false, inner: steps.slice(index), ...entryNames };
    const field = { name: step.name, info };
    const rest = steps.slice(index + 1);
    const [next] = rest;
    const isInside =
      info.of !== undefined &&
      (info.holds === 'map' ||
        (info.holds === 'list' && next?.kind === 'item') ||
        ((info.holds === 'named' || info.holds === 'namedOrStrings') && next?.kind === 'key'));
    if (!isInside) return { kind, field, isMap: false, inner: rest, ...entryNames };
    kind = info.of;
    index += info.holds === 'map' ? 1 : 2;
  }
  return { kind, field: undefined, isMap: true, inner: [], ...entryNames };
}
