/** Assigns parameters to the markers of the `sql` form: each `?` takes the next parameter, `??` is a literal question mark. */
import type { Sink } from '../../diagnostics/finding.js';
import type { ScalarText } from '../../source.js';
import type { Form } from './placeholders.js';
import type { Token } from './token.js';

/** The tokens with every `?` replaced by its placeholder; undefined after an error. */
export function bindParameters(
  text: ScalarText,
  form: Form,
  tokens: readonly Token[],
  report: Sink,
): readonly Token[] | undefined {
  if (form.kind === 'query') return tokens;
  const { parameters } = form;
  let markers = 0;
  let surplus: Token | undefined;
  const bound = tokens.map((token): Token => {
    if (token.kind !== 'question') return token;
    if (token.text === '??') return { ...token, kind: 'operator', text: '?' };
    if (markers === parameters.length) surplus = token;
    markers += 1;
    return { ...token, kind: 'placeholder', expression: parameters[markers - 1] };
  });
  if (markers === parameters.length) return bound;
  const quoted =
    surplus === undefined
      ? tokens.find(({ kind, text: written }) => kind === 'literal' && /^(['"])\?\1$/.test(written))
      : undefined;
  const wrong = surplus ?? quoted;
  const span = wrong === undefined ? parameters[markers]?.span : text.spanOf(wrong.start, wrong.end);
  report.add('sql-parameter-count', span ?? text.span, {
    markers,
    parameters: parameters.length,
    isQuoted: quoted !== undefined,
  });
  return undefined;
}
