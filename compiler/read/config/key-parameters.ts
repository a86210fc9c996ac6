/** The query parameters with API keys, which neither output nor responses repeat. */
import type { Config } from './config-model.js';

export function keyParameters({ authentications }: Pick<Config, 'authentications'>): ReadonlySet<string> {
  return new Set(
    authentications.flatMap((one) =>
      one.type === 'apikey' && one.query !== undefined ? one.query.value : [],
    ),
  );
}
