/** Checks headers sent to third-party APIs and to clients. */
import { isHeaderText } from '../../../../runtime/rest/header-text.js';
import { error, firstDefinedAt, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { isSecretHeader, isSecretOption } from '../../../read/diagnostics/secrets/secret-words.js';
import type { Schema } from '../../../read/config/config-model.js';
import type { Expression, Template } from '../../../read/expression/ast.js';
import type { Span, WithSpan } from '../../../read/source.js';
import { constantText } from '../../operations/requests/constant-text.js';
import { rule } from '../rule.js';
import { constantIn } from '../visited-headers.js';
import { words } from '../../../read/diagnostics/marks.js';

/** Reports header names that JavaScript objects inherit, because clients store headers in objects. */
export const headerName = rule(
  {
    'header-name': error({ name: 'text' }, (p: { name: string }) => ({
      message: `A header cannot be named '${p.name}'.`,
      hint: 'Choose another name: this one is a property of every JavaScript object.',
    })),
  },
  ({ report }) => ({
    header: ({ problem, name }) => {
      if (problem === 'inherited') report('header-name', name.span, { name: name.value });
    },
  }),
);

/** Reports header values with invalid characters. */
export const headerCharacters = rule(
  {
    'header-characters': error({ name: 'text' }, (p: { name: string; hasControl: boolean }) => ({
      message: `Header '${p.name}' has ${p.hasControl ? 'a line break or another control character' : 'characters outside Latin-1'}.`,
      hint: p.hasControl
        ? 'Write the value in one line, without control characters.'
        : 'Write them percent-encoded, for example %C5%BE for ž.',
    })),
  },
  ({ report }) => ({
    header: ({ name, value, valueSpan }) => {
      const text = constantIn(value);
      if (isHeaderText(text)) return;
      const hasControl = !isHeaderText(text.replaceAll(/[^\p{Cc}]/gu, ''));
      report('header-characters', valueSpan, { name: name.value, hasControl });
    },
  }),
);

/** Reports headers that are set twice. */
export const duplicateHeader = rule(
  {
    'duplicate-header': error({ name: 'text' }, (p: { name: string; first: Span | undefined }) => ({
      message: `Duplicate header '${p.name}'.`,
      hint: 'Write both values in the first one, separated by a comma, and remove this one.',
      related: firstDefinedAt(p.first),
    })),
  },
  ({ report }) => ({
    header: ({ problem, name, first }) => {
      if (problem === 'twice') report('duplicate-header', name.span, { name: name.value, first });
    },
  }),
);

/** Reports headers that describe the connection or the body, and are set automatically. */
export const managedHeader = rule(
  {
    'managed-header': error(
      { name: 'text', instead: 'text' },
      (p: { name: string; instead: string | undefined }) => ({
        message: `The header '${p.name}' is set automatically.`,
        hint: p.instead === undefined ? 'Remove it.' : `Remove it, and write ${p.instead} instead.`,
      }),
    ),
  },
  ({ report }) => ({
    header: ({ problem, name, of }) => {
      const instead = of === 'response' ? insteadOf(name.value.toLowerCase()) : undefined;
      if (problem === 'managed') report('managed-header', name.span, { name: name.value, instead });
    },
  }),
);

/** The field or setting that determines a response header. */
function insteadOf(header: string): string | undefined {
  if (header.startsWith('access-control-')) return 'the setting CORS_ORIGIN of the service';
  return fieldsFor[header];
}

const fieldsFor: Readonly<Record<string, string>> = {
  'content-type': "the field 'contentType'",
  'content-disposition': "the field 'fileName'",
  etag: "the field 'etag'",
};

/** Reports cookies with a variable name: the value could determine the name and everything after it. */
export const cookieName = rule(
  {
    'cookie-name': error(() => ({
      message: 'The name of a cookie must be a constant.',
      hint: "Write the name, '=' and the value: Set-Cookie: session=:[VALUE(login, $.token)]; HttpOnly; Secure; SameSite=Lax",
    })),
  },
  ({ report }) => ({
    header: ({ name, value, valueSpan, of }) => {
      if (of !== 'response' || name.value.toLowerCase() !== 'set-cookie') return;
      const [first] = value;
      if (typeof first !== 'string' || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+=/.test(first))
        report('cookie-name', valueSpan);
    },
  }),
);

/** Reports environment references in request headers, which only work in datasources. */
export const referenceInRequest = rule(
  {
    'reference-in-request': error({ name: 'text' }, (p: { name: string }) => ({
      message: `Environment reference in header '${p.name}': \${…} works only in datasources.`,
      hint: "Move the header to the 'header' of the datasource, or write :[ENV(NAME)] for the variable NAME.",
    })),
  },
  ({ report }) => ({
    header: ({ name, value, of }) => {
      if (of === 'request' && constantIn(value).includes('${'))
        report('reference-in-request', name.span, { name: name.value });
    },
  }),
);

/** Reports constants that look like secrets in headers, bodies and signatures of requests. */
export const secretInRequest = rule(
  {
    'secret-in-request': warning(
      { name: 'text', of: words('header', 'field', 'signature') },
      (p: { name: string; of: 'header' | 'field' | 'signature' }) => ({
        message: `Secret in the generated code: ${p.of === 'signature' ? 'the secret of the signature' : `the value of ${p.of} '${p.name}'`}.`,
        hint: {
          header:
            "Move the header to the 'header' of the datasource: its values are read from the environment.",
          field: "Write ENV(NAME), in Syntax B env('NAME'), for the variable NAME.",
          signature:
            "Write ENV(NAME), in Syntax B env('NAME'), for the variable NAME, or 'signature' in the datasource: its secret is read from the environment.",
        }[p.of],
      }),
    ),
  },
  ({ report }) => ({
    header: ({ name, value, of }) => {
      if (of === 'request' && !constantIn(value).includes('${') && isSecret(name.value, value))
        report('secret-in-request', name.span, { name: name.value, of: 'header' });
    },
    request: ({ body, multipart, signature }) => {
      if (signature !== undefined && isConstant(signature.secret))
        report('secret-in-request', signature.secret.span, { name: 'secret', of: 'signature' });
      const fields = [...(body === undefined ? [] : leavesOf(body)), ...multipart];
      for (const { name, value } of fields)
        if (isSecretOption(name.value) && isConstant(value))
          report('secret-in-request', name.span, { name: name.value, of: 'field' });
    },
  }),
);

/** Whether the value is constant. Environment references in it have a separate warning. */
function isConstant(value: Expression): boolean {
  const text = constantText(value) ?? '';
  return text !== '' && !text.includes('${');
}

/** Whether a constant belongs to a secret name. A scheme alone is not a secret: the placeholder after it may be unreadable. */
function isSecret(name: string, value: Template): boolean {
  const text = constantText(value);
  return text !== undefined && isSecretHeader(name) && !/^(?:basic|bearer|digest|token)?\s*$/i.test(text);
}

/** The leaf fields of a body. */
function leavesOf(schema: Schema): { readonly name: WithSpan<string>; readonly value: Expression }[] {
  if (schema.kind === 'array') return leavesOf(schema.item);
  if (schema.kind === 'leaf') return [];
  return schema.fields.flatMap(({ key, span, value }) =>
    value.kind === 'leaf' ? [{ name: { value: key, span }, value: value.value }] : leavesOf(value),
  );
}
