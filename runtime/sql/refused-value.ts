/** What the caller is told of a value that does not fit: where it comes from, and nothing of the database (decisions 11.1). */
import type { Failure } from './failure.js';

/** Where a value comes from: `param.id`, `body`, `body.lines[].price`; null where it is not from the request. */
export type Source = string | null;

/** Codes of the server that speak of a value; those of a calculation may speak of the data that is there. */
const ofValue = new Set(['22001', '22003', '22007', '22008', '22021', '22026', '22P02', '22P05']);

/** The message; undefined where it is not known which value of the request it is. */
export function refusedValue({ value, code }: Failure, sources: readonly Source[]): string | undefined {
  const isOnly = sources.length === 1 && typeof code === 'string' && ofValue.has(code);
  const source = sources[value?.place ?? (isOnly ? 0 : -1)] ?? null;
  if (source === null) return undefined;
  const { expected = '' } = value ?? {};
  const fact = `The value of ${described(source)} ${code === '22001' ? 'is too long' : 'does not fit'}`;
  return expected === '' ? fact : `${fact}: expected ${expected}`;
}

function described(source: string): string {
  if (source === 'body') return 'the body';
  return source.startsWith('param.')
    ? `parameter '${source.slice('param.'.length)}'`
    : `body field '${source.slice('body'.length).replace(/^\./, '')}'`;
}
