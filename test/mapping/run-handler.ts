/** Runs the handler of a generated module in this process, with given results in place of datasources. */
import { runInThisContext } from 'node:vm';
import { transformSync } from 'esbuild';
import * as runtime from '../../runtime/index.js';
import type { Call } from '../../runtime/handler/call.js';
import type { Json } from '../../runtime/handler/json.js';
import type { Reply } from '../../runtime/handler/reply.js';
import { testCall } from '../helpers/test-call.js';
import type { Results } from './nested-loops.js';

export type RunHandler = (results: Results) => Promise<Reply>;

/** A function exported by the module's text; the module's only datasource is `db`. */
export function handlerOf(text: string, name: string): RunHandler {
  const code = text.replaceAll(/^import [^;]*;$/gm, '').replace('export async function', 'async function');
  const translated = transformSync(code, { loader: 'ts' }).code;
  const names = Object.keys(runtime).join(', ');
  const make = runInThisContext(
    `(function (symbols, db) { const { ${names} } = symbols; ${translated}\nreturn ${name}; })`,
  ) as (symbols: typeof runtime, db: object) => (call: Call) => Promise<Reply>;
  return async (results) => {
    const read =
      ({ fulfillment }: { fulfillment: string }) =>
      () =>
        Promise.resolve(results[fulfillment] ?? null);
    const startRead = (run: () => Promise<Json>) => run();
    return await make({ ...runtime, ...({ startRead } as object) }, { read })(testCall());
  };
}
