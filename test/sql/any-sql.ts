/** Random strings made of SQL's special characters, so that strings, comments, names and placeholders mix randomly. */
import fc from 'fast-check';

const fragments = [
  ...[
    "'",
    '"',
    '`',
    '$$',
    '$a$',
    '\\',
    '--',
    '-- ',
    '#',
    '/*',
    '*/',
    '/*!',
    '\n',
    ' ',
    ';',
    '?',
    '??',
    '$1',
    ':',
    '::',
  ],
  ...[
    'select',
    'insert into',
    'update',
    'delete from',
    'with',
    'values',
    'returning',
    'x',
    'E',
    'from',
    'in',
    'not',
    'as',
  ],
  ...[
    '(',
    ')',
    ',',
    '=',
    '.',
    '[',
    ']',
    '%',
    'is null',
    'order by',
    'set',
    'concat',
    'interval',
    '1',
    '__proto__',
    'é',
  ],
  ...[':[', ':[PARAM(x)]', ':[PARAM(x)', ":[TEXT('a')]", ':[VALUE(ff, $.a)]', ':[param.x]', ':[]'],
];

export const anySql = fc
  .array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fragments) }, fc.string({ maxLength: 4 })), {
    maxLength: 24,
  })
  .map((pieces) => pieces.join(''));
