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

/** The names of the parts that the modules import, sorted; `.` stands for the package itself. */
export function importedParts(declarations: Iterable<ImportDeclaration>): string[] {
  const parts = new Set<string>();
  for (const { specifier } of declarations)
    if (packageOf(specifier) === runtimePackage) parts.add(specifier.slice(runtimePackage.length + 1) || '.');
  return [...parts].sort();
}

/** The packages that these parts load, sorted. */
export function packagesOf(parts: readonly string[]): string[] {
  return [...new Set([...packagesOfAll, ...parts.flatMap((part) => packagesOfParts[part] ?? [])])].sort();
}
