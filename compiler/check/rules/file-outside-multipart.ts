/** MULTIPART_FILE anywhere but as a whole part of a request (specification, Multipart rules; decisions 6.7). */
import type { Expression } from '../../expression/ast.js';
import { walkOperation } from '../../config/walk.js';
import { visit } from '../../expression/visit.js';
import type { Rule } from '../rule.js';
import { requestsOf } from '../requests.js';

export const fileOutsideMultipart: Rule = (config, report) => {
  const passedOn = new Set<Expression>(
    requestsOf(config).flatMap(({ request }) => request.multipart.map(({ value }) => value)),
  );
  for (const operation of config.operations) {
    walkOperation(operation, (expression) => {
      visit(expression, (node) => {
        if (node.kind === 'multipart-file' && !passedOn.has(node))
          report.add('file-outside-multipart', node.place, { part: node.part });
      });
    });
  }
};
