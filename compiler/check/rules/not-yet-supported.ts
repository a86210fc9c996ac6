/** What is read, but not yet brought to life: it is refused, never passed over in silence. */
import type { Config, Operation } from '../../config/model.js';
import type { Place } from '../../source.js';
import type { Rule } from '../rule.js';

export const notYetSupported: Rule = (config, report) => {
  const refuse = (what: string, place: Place | undefined): void => {
    if (place !== undefined) report.add('not-yet-supported', place, { what });
  };
  checkService(config, refuse);
  for (const operation of config.operations) checkOperation(operation, refuse);
};

type Refuse = (what: string, place: Place | undefined) => void;

function checkService({ authentications, settings }: Config, refuse: Refuse): void {
  for (const authentication of authentications) refuse('Authentication', authentication.name.place);
  if (settings.debug) refuse('The test page (debug: true)', settings.fields.get('debug'));
}

function checkOperation({ syntax, fulfillments, fields }: Operation, refuse: Refuse): void {
  const [first] = fulfillments;
  if (syntax === 'B')
    refuse(
      'An operation in Syntax B',
      first?.fields.get('queries') ?? first?.fields.get('join') ?? fields.get('mappings'),
    );
  refuse("The field 'authentications' of an operation", fields.get('authentications'));
}
