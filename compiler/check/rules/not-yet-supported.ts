/** What is read, but not yet brought to life: it is refused, never passed over in silence. */
import type { Config, DataFulfillment } from '../../config/model.js';
import type { Expression } from '../../expression/ast.js';
import { visit } from '../../expression/visit.js';
import type { Place } from '../../source.js';
import type { Rule } from '../rule.js';
import { allFulfillments, walkOperation } from '../../config/walk.js';

export const notYetSupported: Rule = (config, report) => {
  const refuse = (what: string, place: Place | undefined): void => {
    if (place !== undefined) report.add('not-yet-supported', place, { what });
  };
  checkService(config, refuse);
  for (const operation of config.operations) {
    refuse("The field 'authentications' of an operation", operation.fields.get('authentications'));
    for (const { fulfillment } of allFulfillments(operation.fulfillments)) {
      if (fulfillment.type === 'READ' || fulfillment.type === 'UPDATE')
        checkInstructions(fulfillment, refuse);
    }
    walkOperation(operation, (expression) => {
      visit(expression, (node) => {
        const name = functions[node.kind];
        if (name !== undefined) refuse(name, node.place);
      });
    });
  }
};

type Refuse = (what: string, place: Place | undefined) => void;

const functions: Partial<Record<Expression['kind'], string>> = {
  status: 'STATUS',
  'multipart-file': 'MULTIPART_FILE',
};

function checkService({ authentications, datasources, settings }: Config, refuse: Refuse): void {
  for (const authentication of authentications) refuse('Authentication', authentication.name.place);
  for (const datasource of datasources) {
    if (datasource.type === 'rest') refuse('A datasource of type rest', datasource.name.place);
  }
  if (settings.debug) refuse('The test page (debug: true)', settings.fields.get('debug'));
}

function checkInstructions({ instructions }: DataFulfillment, refuse: Refuse): void {
  for (const { action, place } of instructions) {
    if (action !== undefined && 'kind' in action) refuse("The instruction 'request'", place);
  }
}
