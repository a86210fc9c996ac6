/** Joins that no response needs, where nothing is wrong that could be why. */
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { namesRead } from '../../mapping/entries.js';
import { rule } from '../rule.js';
import { isUseKnown } from '../use-of-mappings.js';

export const joinNeverUsed = rule(
  {
    'join-never-used': warning(
      (p: {
        left: string;
        right: string;
        /** Those of the two that no mapping reads. */
        unread: readonly string[];
        hasMappings: boolean;
      }) => ({
        message: `Unused join: no mapping leads from '${p.left}' to '${p.right}' or back.`,
        hint: !p.hasMappings
          ? "A 'schema' does not use joins. Map models of the API description with 'mappings', or join in the SQL."
          : p.unread.length > 0
            ? `Map fields of ${p.unread.map((name) => `'${name}'`).join(' and ')} to a model of a response, or remove the join.`
            : 'Remove it, or nest a model of one of the two in a model of the other.',
      }),
    ),
  },
  ({ report }) => ({
    operation: (_, { analyzed }) => {
      const { fulfillments, mappings = [], joins, mapped } = analyzed;
      if (!isUseKnown(analyzed)) return;
      // That none of the mappings is used has been reported, and is why no join is.
      if (mappings.length > 0 && mapped.mappings.size === 0) return;
      const read = new Set(
        mappings
          .flatMap(({ fields }) => fields)
          .flatMap(({ value }) => (value === undefined ? [] : namesRead(value))),
      );
      const used = new Set([...mapped.joins].map(({ condition }) => condition));
      for (const { left, right, condition } of joins.distinct) {
        if (used.has(condition)) continue;
        const [one, other] = [left.fulfillment, right.fulfillment];
        const names = fulfillments
          .map(({ fulfillment }) => fulfillment.name.value)
          .filter((name) => name === one || name === other);
        report('join-never-used', condition.span, {
          left: names[0] ?? one,
          right: names[1] ?? other,
          unread: names.filter((name) => !read.has(name)),
          hasMappings: mappings.length > 0,
        });
      }
    },
  }),
);
