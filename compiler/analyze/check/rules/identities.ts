/** How datasources show third parties who asks. */
import { problemOfTokenUrl } from '../../../../runtime/rest/token-url.js';
import { error } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { rule } from '../rule.js';

/** Addresses of token servers to which no secret may go, as far as they are not from the environment. */
export const wrongTokenUrl = rule(
  {
    'wrong-token-url': error((p: { problem: string }) => ({
      message: `This tokenUrl ${p.problem}.`,
      hint: 'For example: https://id.example.com/oauth/token',
    })),
  },
  ({ report }) => ({
    datasource: ({ oauth2 }) => {
      const url = oauth2?.tokenUrl;
      if (url === undefined || url.value.includes('${')) return;
      const problem = problemOfTokenUrl(url.value);
      if (problem !== undefined) report('wrong-token-url', url.span, { problem });
    },
  }),
);

/** Two values for one header `Authorization`. */
export const twoLogins = rule(
  {
    'two-logins': error((p: { name: string; other: string }) => ({
      message: `Datasource '${p.name}' logs in twice: with a token, and with ${p.other}.`,
      hint: 'Remove one of them. The account for the token server is clientId and clientSecret.',
    })),
  },
  ({ report }) => ({
    datasource: ({ name, oauth2, header, fields }) => {
      if (oauth2 === undefined) return;
      const authorization = header.find((field) => field.name.value.toLowerCase() === 'authorization');
      const field = ['user', 'password'].find((one) => fields.has(one));
      const span = (field === undefined ? undefined : fields.get(field)) ?? authorization?.name.span;
      if (span === undefined) return;
      const other = field === undefined ? 'the header Authorization' : `'${field}'`;
      report('two-logins', span, { name: name.value, other });
    },
  }),
);
