/** What is read, but not yet brought to life: it is refused, never passed over in silence. */
import type { Config } from '../../config/model.js';
import type { Place } from '../../source.js';
import type { Rule } from '../rule.js';

export const notYetSupported: Rule = (config, report) => {
  const refuse = (what: string, place: Place | undefined): void => {
    if (place !== undefined) report.add('not-yet-supported', place, { what });
  };
  checkService(config, refuse);
  for (const operation of config.operations)
    refuse("The field 'authentications' of an operation", operation.fields.get('authentications'));
};

type Refuse = (what: string, place: Place | undefined) => void;

function checkService({ authentications, settings }: Config, refuse: Refuse): void {
  for (const authentication of authentications) refuse('Authentication', authentication.name.place);
  if (settings.debug) refuse('The test page (debug: true)', settings.fields.get('debug'));
}
