/** The search path that a PostgreSQL datasource requests (`currentSchema`). */
import type { Datasource } from '../config-model.js';
import { replaceReferences } from '../environment-reference.js';

/** The search path in the datasource's URL, using the defaults of environment references; unknown if the environment can change it. */
export function searchPathOf({ url }: Pick<Datasource, 'url'>): {
  readonly path?: string;
  readonly isKnown: boolean;
} {
  const written = url?.value.trim() ?? '';
  const isKnown = !written.startsWith('${') && !(schemaIn(written) ?? optionsIn(written)).includes('${');
  const path = schemaIn(replaceReferences(written, ({ text, fallback }) => fallback ?? text));
  if (path === undefined) return { isKnown };
  if (path.includes('${')) return { isKnown: false };
  try {
    return { path: decodeURIComponent(path), isKnown };
  } catch {
    return { isKnown: false };
  }
}

function schemaIn(url: string): string | undefined {
  return /(?:^|&)currentSchema=([^&]*)/i.exec(optionsIn(url))?.[1];
}

function optionsIn(url: string): string {
  return /\?(.*)$/s.exec(url)?.[1] ?? '';
}
