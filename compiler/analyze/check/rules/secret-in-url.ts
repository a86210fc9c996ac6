/** Query parameters with a constant value that looks like a secret. */
import { upperSnake } from '../../../../runtime/server/upper-snake.js';
import { warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { isSecretOption } from '../../../read/diagnostics/secrets/secret-words.js';
import type { Template } from '../../../read/expression/ast.js';
import { spanBeside, type Span } from '../../../read/source.js';
import { rule } from '../rule.js';

export const secretInUrl = rule(
  {
    'secret-in-url': warning((p: { names: readonly string[] }) => ({
      message: `Secret in the generated code: ${quotedList(p.names)} in this URL.`,
      hint: `Move ${p.names.length === 1 ? 'it' : 'them'} to the datasource, whose query goes before that of each request: url: https://api.example.com?${p.names.map((name) => `${name}=\${${upperSnake(name)}}`).join('&')}`,
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written === undefined || url === undefined || 'problem' in url) return;
      const names = secretsIn(written.value);
      if (names.length > 0) report('secret-in-url', nameIn(written.span, names[0] ?? ''), { names });
    },
  }),
);

/** Where the parameter is named; all of the URL where that is not seen. */
function nameIn(span: Span, name: string): Span {
  const written = span.source.text.slice(span.start, span.end);
  const at = Math.max(written.indexOf(`?${name}=`), written.indexOf(`&${name}=`));
  const start = span.start + at + 1;
  return at === -1 ? span : spanBeside(span, start, start + name.length, span.scalar);
}

/** The names of those parameters. */
function secretsIn(url: Template): string[] {
  const text = url.map((part) => (typeof part === 'string' ? part : '')).join('');
  const parameters = [...text.matchAll(/[?&]([^=&#]+)=[^&#]/g)].map(([, name = '']) => name);
  return parameters.filter((name) => isSecretOption(name));
}
