/** The search path that a datasource of PostgreSQL asks for (`currentSchema`). */
import type { Datasource } from '../config-model.js';

/** The search path of the datasource's URL; unknown if the URL is from the environment. */
export function searchPathOf({ url }: Pick<Datasource, 'url'>): {
  readonly path?: string;
  readonly isKnown: boolean;
} {
  const options = /\?(.*)$/s.exec(url?.value ?? '')?.[1] ?? '';
  const written = /(?:^|&)currentSchema=([^&]*)/i.exec(options)?.[1];
  if (written === undefined)
    return { isKnown: !options.includes('${') && url?.value.startsWith('${') !== true };
  if (written.includes('${')) return { isKnown: false };
  try {
    return { path: decodeURIComponent(written), isKnown: true };
  } catch {
    return { isKnown: false };
  }
}
