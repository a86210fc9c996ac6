/** Two operations with the same method and the same path shape (decisions 9.2). */
import { position } from '../../source.js';
import type { Operation } from '../../config/config-model.js';
import { isWrittenEndpoint } from '../../config/operation-name.js';
import type { Rule } from '../rule.js';

export const duplicateEndpoint: Rule = ({ operations }, report) => {
  const seen = new Map<string, Operation>();
  for (const operation of operations) {
    const { name, endpoint } = operation;
    if (endpoint === undefined || !isWrittenEndpoint(name.value, endpoint)) continue;
    const { method, path } = endpoint;
    const shape = `${method} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;
    const other = seen.get(shape);
    if (other === undefined) {
      seen.set(shape, operation);
      continue;
    }
    // The same key twice in one map has been reported as that.
    if (operation.name.value === other.name.value) continue;
    const { source, start } = other.name.place;
    const line = position(source, start).line;
    report.add('duplicate-endpoint', operation.name.place, {
      name: operation.name.value,
      other: other.name.value,
      line,
    });
  }
};
