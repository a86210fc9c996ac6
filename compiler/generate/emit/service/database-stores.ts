/** Stores of databases that a generated module exports: of limits and of idempotency keys. */
import { call, constant, doc, exported, name } from '../../code/code.js';
import type { Module } from '../module/module.js';

/** Exports a store for each database. `create`: the function of the runtime that creates it. */
export function addStores(
  module: Module,
  databases: readonly string[],
  {
    about,
    create,
    nameOf,
  }: {
    readonly about: string;
    readonly create: 'keyStore' | 'limitStore';
    readonly nameOf: (database: string) => string;
  },
): void {
  for (const database of databases) {
    const created = call(module.runtime(create), module.import('src/datasources', database));
    module.add(doc(about), exported(constant(name(nameOf(database)), created)));
  }
}
