/** The parts of the runtime that a service imports, and the packages that these load. */
import { runtimePackage } from '../../plan/names/runtime-symbols.js';
import type { ImportDeclaration } from '../module/imports.js';
import { packageOf } from '../module/imports.js';

/** The packages that each part loads. The peer dependencies of the runtime have all of them. */
export const packagesOfParts: Readonly<Record<string, readonly string[]>> = {
  jwt: ['jose'],
  knex: ['knex'],
  mysql: ['mysql2'],
  'own-databases': ['knex'],
  postgres: ['pg'],
  rest: ['axios'],
  schedule: ['croner'],
  'test-page': ['swagger-ui-dist'],
  testing: ['axios'],
  trace: ['axios'],
  uploads: ['multer'],
};

/** Every service logs. */
const packagesOfAll = ['pino'];

/** The packages that the parts load which modules import, sorted. */
export function packagesOf(declarations: readonly ImportDeclaration[]): string[] {
  const parts = declarations.flatMap(({ specifier }) =>
    packageOf(specifier) === runtimePackage ? [specifier.slice(runtimePackage.length + 1)] : [],
  );
  return [...new Set([...packagesOfAll, ...parts.flatMap((part) => packagesOfParts[part] ?? [])])].sort();
}
