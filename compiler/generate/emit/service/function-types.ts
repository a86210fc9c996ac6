/** The names and modules of the types of user functions. */
import { upperFirst } from '../../plan/names/identifiers.js';

/** Module path without extension. */
export const functionsModule = 'src/functions';

export function inputType(name: string): string {
  return `${upperFirst(name)}Input`;
}

export function resultType(name: string): string {
  return `${upperFirst(name)}Result`;
}
