/** Types as short strings for hover: `{ id: number, title: string | null }[]`. */
import { allKinds, type ValueType } from '../../analyze/types/value-type.js';

/** Maximum number of fields listed per object. */
const maxFields = 12;
const deepest = 3;

/** `any` if the type is unknown. */
export function shortType(type: ValueType, depth = 0): string {
  const { kinds, constant, words, claim } = type;
  if (constant !== undefined) return JSON.stringify(constant);
  if (kinds.size === allKinds.length) return claim === undefined ? 'any' : shortType(claim.type, depth);
  const texts = allKinds
    .filter((kind) => kinds.has(kind))
    .map((kind) => {
      if (kind === 'string' && words !== undefined)
        return [...words].map((word) => JSON.stringify(word)).join(' | ');
      if (kind === 'array') return arrayText(type.element, depth);
      return kind === 'object' ? objectText(type, depth) : kind;
    });
  return texts.join(' | ');
}

function arrayText(element: ValueType | undefined, depth: number): string {
  const text = element === undefined ? 'any' : shortType(element, depth);
  return text.includes(' | ') && !text.startsWith('{') ? `(${text})[]` : `${text}[]`;
}

function objectText({ fields }: ValueType, depth: number): string {
  if (fields === undefined || fields.names.length === 0) return 'object';
  if (depth >= deepest) return '{ … }';
  const shown = fields.names.slice(0, maxFields).map((name) => {
    const type = fields.typeOf(name);
    return `${name}: ${type === undefined ? 'any' : shortType(type, depth + 1)}`;
  });
  const isMore = fields.names.length > maxFields || !fields.isClosed;
  return `{ ${[...shown, ...(isMore ? ['…'] : [])].join(', ')} }`;
}
