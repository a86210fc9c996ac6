/** The runtime parts that a service imports, and the packages that these parts load. */
import { runtimePackage } from '../../plan/names/runtime-symbols.js';
import type { ImportDeclaration } from '../module/imports.js';
import { packageOf } from '../module/imports.js';

/** Packages loaded by each part. All of them are peer dependencies of the runtime. */
export const packagesOfParts: Readonly<Record<string, readonly string[]>> = {
  jwt: ['jose'],
  knex: ['knex'],
  mysql: ['mysql2'],
  'own-databases': ['knex'],
  passwords: ['hash-wasm'],
  postgres: ['pg'],
  rest: ['axios'],
  schedule: ['croner'],
  smtp: ['nodemailer'],
  'test-page': ['swagger-ui-dist'],
  'tested-smtp': ['nodemailer'],
  testing: ['axios'],
  trace: ['axios'],
  'traced-smtp': ['nodemailer'],
  uploads: ['multer'],
};

/** Every service logs, so this package is always needed. */
const packagesOfAll = ['pino'];

/** Packages loaded by the runtime parts that modules import, sorted. */
export function packagesOf(declarations: readonly ImportDeclaration[]): string[] {
  const parts = declarations.flatMap(({ specifier }) =>
    packageOf(specifier) === runtimePackage ? [specifier.slice(runtimePackage.length + 1)] : [],
  );
  return [...new Set([...packagesOfAll, ...parts.flatMap((part) => packagesOfParts[part] ?? [])])].sort();
}
