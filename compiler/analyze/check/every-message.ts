/** Every diagnostic there is, by its code: those of reading and analyzing, and those of the rules. */
import { catalogue } from '../../read/diagnostics/catalogue.js';
import { rules } from './rule-list.js';
import type { Messages } from './rule.js';

export const everyMessage: Messages = Object.assign(
  { ...catalogue },
  ...rules.map(({ messages }) => messages),
) as Messages;
