/** Names of fulfillments that expressions could not read. */
import type { Rule } from '../rule.js';
import { allFulfillments } from '../../config/walk.js';

const readable = { A: /^[^\s(),:[\]'"@$][^(),[\]'"]*$/, B: /^[\p{L}_][\p{L}\p{N}_-]*$/u };

/** What these words mean in Syntax B. */
const reserved = /^(?:param|body|null|true|false)$/;

export const fulfillmentName: Rule = ({ operations }, report) => {
  for (const operation of operations) {
    for (const { fulfillment } of allFulfillments(operation.fulfillments)) {
      const { value: name, place } = fulfillment.name;
      if (name === '') continue;
      if (!readable[operation.syntax].test(name)) report.add('unnamed-fulfillment', place, { name });
      else if (operation.syntax === 'B' && reserved.test(name)) report.add('reserved-name', place, { name });
    }
  }
};
