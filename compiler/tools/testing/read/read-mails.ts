/** The mails of a test: the expected mails, and the responses of the mail server. */
import { Fields } from '../../../read/config/fields.js';
import type { MapNode, Node } from '../../../read/config/yaml/node.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { testFields } from './test-fields.js';
import type { ExpectedMail } from './test-model.js';
import type { StubScope } from './test-scope.js';

/** `node`: one mail, or a list of mails. */
export function readMails(node: Node | undefined, scope: StubScope): ExpectedMail[] {
  if (node === undefined) return [];
  const items = node.kind === 'list' ? node.items : [node];
  const maps = items.flatMap((item) => (item.kind === 'map' ? [item] : []));
  if (maps.length < items.length)
    scope.report.add('wrong-kind', node.span, {
      what: "'mail'",
      expected: 'a mail, or a list of mails',
      example: 'mail: { to: anna@example.com, subject: New password }',
    });
  return maps.flatMap((map) => readMail(map, scope));
}

function readMail(map: MapNode, scope: StubScope): ExpectedMail[] {
  const fields = new Fields("'mail'", map, testFields['a mail'], scope.report);
  const datasource = readServer(fields, scope);
  const mail = {
    ...{ to: fields.node('to'), cc: fields.node('cc'), replyTo: fields.node('replyTo') },
    ...{ subject: fields.node('subject'), text: fields.node('text') },
    html: fields.node('html'),
    status: fields.integer('statuscode')?.value ?? 250,
    keep: readKeptParts(fields, scope),
    span: map.span,
  };
  return datasource === undefined ? [] : [{ ...mail, datasource }];
}

/** The mail server; undefined after a reported error. */
function readServer(fields: Fields, { config, report }: StubScope): string | undefined {
  const known = config.datasources.filter(({ type }) => type === 'smtp').map(({ name }) => name.value);
  const written = fields.text('datasource');
  const [only, ...others] = known;
  if (written === undefined && only !== undefined && others.length === 0) return only;
  if (written !== undefined && known.includes(written.value)) return written.value;
  report.add('test-value', written?.span ?? fields.headSpan, {
    problem:
      known.length === 0
        ? 'No datasource is a mail server.'
        : written === undefined
          ? 'Several datasources are mail servers.'
          : `'${written.value}' is not a mail server.`,
    hint:
      known.length === 0
        ? "Add a datasource with type: smtp, or remove 'mail'."
        : `Write datasource: with one of ${quotedList(known)}.`,
  });
  return undefined;
}

function readKeptParts(fields: Fields, { report }: StubScope): ExpectedMail['keep'] {
  return (fields.section('keep')?.entries ?? []).flatMap(({ key, value }) => {
    const pattern = value.kind === 'scalar' ? value.text.value : '';
    const problem = problemOf(pattern);
    if (problem === undefined)
      return [{ name: key.text.value, pattern: { value: pattern, span: value.span } }];
    report.add('test-value', value.span, {
      problem,
      hint: "Write a regular expression with one group, such as 'reset#(\\S+)': the group is kept.",
    });
    return [];
  });
}

function problemOf(pattern: string): string | undefined {
  try {
    // The empty alternative matches everything, so the result has a place for each group.
    const groups = (new RegExp(`${pattern}|`, 'u').exec('')?.length ?? 1) - 1;
    return groups === 1
      ? undefined
      : `This expression has ${groups === 0 ? 'no group' : `${groups} groups`}.`;
  } catch {
    return 'This is not a regular expression.';
  }
}
