/** The database that stores a call after the commit. */
import {
  outboxFieldOf,
  type Config,
  type DatabaseDatasource,
  type DeferredFulfillment,
} from '../../read/config/config-model.js';

/**
 * The database that the fulfillment names; without a name, the only database, or else the only one that is an outbox. Undefined if it is
 * unknown or ambiguous.
 */
export function outboxOf(
  { outbox }: Pick<DeferredFulfillment, 'outbox'>,
  { datasources }: Pick<Config, 'datasources'>,
): DatabaseDatasource | undefined {
  const databases = datasources.flatMap((one) => (one.type === 'db' ? [one] : []));
  if (outbox !== undefined) return databases.find(({ name }) => name.value === outbox.value);
  const used = new Set(datasources.map((one) => outboxFieldOf(one)?.value));
  const candidates =
    databases.length === 1 ? databases : databases.filter(({ name }) => used.has(name.value));
  return candidates.length === 1 ? candidates[0] : undefined;
}
