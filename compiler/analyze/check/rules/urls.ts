/** Checks the URLs of requests. */
import { upperSnake } from '../../../../runtime/server/environment-reference.js';
import { headersOf, type Datasource } from '../../../read/config/config-model.js';
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { isSecretOption, tokensInPaths } from '../../../read/diagnostics/secrets/secret-words.js';
import type { Expression, Template } from '../../../read/expression/ast.js';
import { constantText } from '../../operations/requests/constant-text.js';
import { urlHeaders } from '../visited-headers.js';
import { partOf, type Span, spanBeside } from '../../../read/source.js';
import { rule } from '../rule.js';

/** Reports request URLs that are invalid for any values. */
export const wrongRequestUrl = rule(
  {
    'wrong-request-url': error(
      { problem: 'sentence', hint: 'sentence' },
      (p: { problem: string; hint: string | undefined }) => ({
        message: `The URL of this request cannot be used: ${p.problem}.`,
        hint: p.hint,
      }),
    ),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written === undefined || url === undefined || !('problem' in url) || url.problem.kind !== 'wrong')
        return;
      const { problem, hint, part } = url.problem;
      const span = part === undefined ? written.span : partOf(written.span, part);
      report('wrong-request-url', span, { problem, hint });
    },
  }),
);

/** Reports relative URLs if the datasource does not have a base URL. */
export const relativeUrl = rule(
  {
    'relative-url': error(() => ({
      message: 'This URL has no host, and its datasource has no url.',
      hint: "Write the whole URL, or set the 'url' of the datasource.",
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'problem' in url && url.problem.kind === 'host')
        report('relative-url', written.span);
    },
  }),
);

/** Reports URLs that consist of a single value, which chooses the host. */
export const wholeUrl = rule(
  {
    'whole-url': warning({ header: 'text' }, (p: { header: string | undefined }) => ({
      message:
        p.header === undefined
          ? 'The whole URL is a value: the request chooses the server. Credentials are sent to the host of the datasource only.'
          : `The whole URL of '${p.header}' is a value, which chooses where clients go.`,
      hint:
        p.header === undefined
          ? 'Write the host here, or in the url of the datasource, if it is known.'
          : 'Write the constant part of the URL, such as /orders/ before the placeholder. If the value is a stored link, disable this code with a reason.',
    })),
  },
  ({ report }) => ({
    header: ({ name, value, valueSpan, of }) => {
      if (of !== 'response' || !isUrlHeader(name.value)) return;
      const [only, ...others] = value;
      if (typeof only === 'object' && others.length === 0 && !isPageUrl(only))
        report('whole-url', valueSpan, { header: name.value });
    },
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'url' in url && url.url.kind === 'whole')
        report('whole-url', written.span, { header: undefined });
    },
  }),
);

/** Reports values in the scheme, host or port, which would choose the host of a request. */
export const placeholderInOrigin = rule(
  {
    'placeholder-in-origin': error(() => ({
      message: 'Placeholder in the scheme, host or port of a URL: the request would choose the server.',
      hint: 'Write scheme, host and port as constants. Values are allowed in the path and the query.',
    })),
  },
  ({ report }) => ({
    header: ({ name, value, of }) => {
      const placeholder =
        of === 'response' && isUrlHeader(name.value) ? placeholderInOriginOf(value) : undefined;
      if (placeholder !== undefined) report('placeholder-in-origin', placeholder.span);
    },
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'problem' in url && url.problem.kind === 'origin')
        report(
          'placeholder-in-origin',
          written.value.find((part) => typeof part !== 'string')?.span ?? written.span,
        );
    },
  }),
);

/** Whether the value is LINK: URLs of the service itself. */
function isPageUrl(value: Expression): boolean {
  return value.kind === 'paging' && value.fact === 'link';
}

function isUrlHeader(name: string): boolean {
  return urlHeaders.has(name.toLowerCase());
}

/** The first placeholder after `//` that is neither in the path nor in the query. */
function placeholderInOriginOf(value: Template): Expression | undefined {
  let before = '';
  for (const part of value) {
    if (typeof part === 'string') before += part;
    else if (/(?:^|[:<\s])\/\/[^/?#<>]*$/.test(before)) return part;
    else before += 'x';
  }
  return undefined;
}

/** Reports URLs whose origin differs from the datasource's, so that its credentials are not sent. */
export const otherOrigin = rule(
  {
    'other-origin': warning(
      { datasource: 'text', origin: 'text' },
      (p: { datasource: string; origin: string }) => ({
        message: `This URL has another host than datasource '${p.datasource}': its credentials and headers are not sent.`,
        hint: `Add a datasource with url: ${p.origin} and the credentials of that host, and write its name here.`,
      }),
    ),
  },
  ({ report }) => ({
    request: ({ url: written }, { url, datasource }) => {
      if (written === undefined || url === undefined || 'problem' in url || url.url.kind === 'whole') return;
      const { origin } = url.url;
      if (origin !== undefined && leadsElsewhere(origin, datasource))
        report('other-origin', written.span, { datasource: datasource.name.value, origin });
    },
  }),
);

/** Whether the datasource's credentials are not sent with this request. With an environment reference, the target is unknown. */
function leadsElsewhere(origin: string, datasource: Datasource): boolean {
  const { url, user, password } = datasource;
  if (url === undefined || url.value.includes('${')) return false;
  if (user === undefined && password === undefined && headersOf(datasource).length === 0) return false;
  const base = url.value.trim();
  return URL.canParse(base) && new URL(base).origin !== origin;
}

/** Reports query parameters with a constant value that looks like a secret, and path segments that look like secrets. */
export const secretInUrl = rule(
  {
    'secret-in-url': warning({ names: 'text' }, (p: { names: readonly string[]; isPath: boolean }) => ({
      message: `Secret in the generated code: ${p.isPath ? 'a part of the path of this URL looks like a token' : `${quotedList(p.names)} in this URL`}.`,
      hint: p.isPath
        ? 'Move it to the datasource, whose path goes before that of each request, as a variable: url: https://hooks.example.com/services/${HOOK_TOKEN}'
        : `Move ${p.names.length === 1 ? 'it' : 'them'} to the datasource, whose query goes before that of each request: url: https://api.example.com?${p.names.map((name) => `${name}=\${${upperSnake(name)}}`).join('&')}`,
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written === undefined || url === undefined || 'problem' in url) return;
      const names = secretsIn(written.value);
      const [first] = names;
      if (first !== undefined)
        report('secret-in-url', partOf(partOf(written.span, `${first}=`), first), { names, isPath: false });
      const text = constantsOf(written.value);
      const [token] = tokensInPaths(text);
      if (token !== undefined)
        report('secret-in-url', partOf(written.span, text.slice(token.start, token.end)), {
          names: [],
          isPath: true,
        });
    },
  }),
);

/** The names of query parameters with secrets. */
function secretsIn(url: Template): string[] {
  const parameters = [...constantsOf(url).matchAll(/[?&]([^=&#]+)=[^&#]/g)].map(([, name = '']) => name);
  return parameters.filter((name) => isSecretOption(name));
}

function constantsOf(url: Template): string {
  return url.map((part) => (typeof part === 'string' ? part : (constantText(part) ?? ''))).join('');
}

/** The span from the first `#` outside of placeholders; the whole span if it cannot be located. */
function fragmentIn(span: Span): Span {
  const written = span.source.text.slice(span.start, span.end);
  const at = fragmentStart(written);
  return at === -1 ? span : spanBeside(span, span.start + at, span.end, span.scalar);
}

/** The index of the first `#` outside of placeholders; -1 if there is none. */
function fragmentStart(written: string): number {
  return written.replaceAll(/:\[[^\]]*/g, (placeholder) => ' '.repeat(placeholder.length)).indexOf('#');
}

/** Reports URL fragments. */
export const urlFragment = rule(
  {
    'url-fragment': warning(() => ({
      message: "The '#' part of a URL is never sent.",
      hint: "Remove it, or write %23 for the character '#'.",
    })),
  },
  ({ report }) => ({
    request: ({ url: written }, { url }) => {
      if (written !== undefined && url !== undefined && 'url' in url && url.hasFragment)
        report('url-fragment', fragmentIn(written.span));
    },
  }),
);
