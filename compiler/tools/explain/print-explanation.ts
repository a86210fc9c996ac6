/** Prints an explanation as text. */
import { units } from '../../read/config/duration.js';
import type {
  Cost,
  ExplainedException,
  ExplainedModel,
  ExplainedCallDelivery,
  ExplainedDelivery,
  ExplainedMessage,
  ExplainedRequest,
  ExplainedRetry,
  ExplainedStatement,
  ExplainedStep,
  ExplainedOperation,
} from './explained.js';
import { counted } from '../../read/diagnostics/quoted-list.js';
import { screen, type Shown } from '../../notation/screen-writer.js';
import { joined } from '../../notation/written.js';

/** Lines of at most about 100 characters, without a trailing line break. */
export function printExplanation(explanation: ExplainedOperation): Shown {
  const { operation, syntax, overlaps, replicas, cost, statuses, models } = explanation;
  const sections: (readonly string[])[] = [
    [`${operation}  (Syntax ${syntax})`, ...headOf(explanation)],
    section('Before the steps', explanation.exceptions.flatMap(printException)),
    section('Steps', printSteps(explanation.steps, '')),
    section('Together', printOverlaps(overlaps.filter(({ kind }) => kind !== 'one by one'))),
    section('One by one', printOverlaps(overlaps.filter(({ kind }) => kind === 'one by one'))),
    section(
      'On a replica',
      replicas.flatMap(({ of, variable }) => wrapped(`${of.join(', ')}: if ${variable} names one`, 96)),
    ),
    section('At worst', printCost(cost)),
    section(
      'Statuses',
      statuses.flatMap(({ status, reasons }) =>
        reasons.flatMap(({ text, fulfillments }, index) =>
          labelled(
            index === 0 ? String(status) : '',
            `${text}${fulfillments.length === 0 ? '' : ` (${fulfillments.join(', ')})`}`,
            3,
          ),
        ),
      ),
    ),
    section('Mapped models', models.flatMap(printModel)),
  ];
  const shown = sections.filter((lines) => lines.length > 0).map(screen.list);
  return joined(shown, '\n\n');
}

function printOverlaps(overlaps: ExplainedOperation['overlaps']): string[] {
  return overlaps.flatMap(({ of, text }) => wrapped(`${of.join(', ')}: ${text}`, 96));
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => (line === '' ? '' : `  ${line}`))];
}

function headOf(operation: ExplainedOperation): string[] {
  const { file, startedBy, access, limits = [], idempotency, tool, transaction } = operation;
  const { timers, operations } = startedBy;
  return [
    ...(file === undefined ? [] : [`  file         ${file}`]),
    ...timers.map(
      ({ trigger, cron, timezone }) =>
        `  timer        ${trigger}: ${cron}${timezone === null ? '' : ` in ${timezone}`}`,
    ),
    ...(operations.length === 0 ? [] : [`  called by    ${operations.join(', ')}`]),
    ...(access === null
      ? []
      : [`  access       ${access === 'anyone' ? openTo(operation) : access.join(', ')}`]),
    ...limits.map((limit) => `  limit        ${limit}`),
    ...(idempotency === undefined ? [] : [`  key          ${idempotency}`]),
    ...(tool === undefined ? [] : [`  tool         ${tool.name}: ${hintsOf(tool.hints)}`]),
    ...(transaction === 'own' ? ['  transaction  all steps take effect, or none'] : []),
  ];
}

/** The effects of a tool, as clients see them. */
function hintsOf(hints: NonNullable<ExplainedOperation['tool']>['hints']): string {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = hints;
  const all = [
    readOnlyHint ? 'reads only' : destructiveHint ? 'may destroy something' : 'only adds',
    ...(!readOnlyHint && idempotentHint ? ['can be repeated'] : []),
    ...(openWorldHint ? ['reaches other systems'] : []),
  ];
  return all.join(', ');
}

/** The possible callers of an open operation. */
function openTo({ knownPages }: ExplainedOperation): string {
  if (knownPages === undefined) return 'anyone';
  const { cookies } = knownPages;
  const programs = cookies.length === 0 ? '' : `, and programs that send the cookie ${cookies.join(' or ')}`;
  return `anyone except pages of other origins${programs}`;
}

function printSteps(steps: readonly ExplainedStep[], prefix: string): string[] {
  return steps.flatMap((step, index) => {
    const number = `${prefix}${index + 1}.`;
    const indent = ' '.repeat(number.length + 1);
    return [
      `${number} ${step.fulfillment}: ${titleOf(step)}`,
      ...detailsOf(step, `${prefix}${index + 1}.`).map((line) => (line === '' ? '' : `${indent}${line}`)),
    ];
  });
}

function titleOf(step: ExplainedStep): string {
  const line = `  (line ${step.line})`;
  switch (step.kind) {
    case 'statements':
      return `${step.use} ${step.datasource}, ${step.database}${line}`;
    case 'requests':
      return `${step.use} ${step.datasource}, third party${line}`;
    case 'messages':
      return `UPDATE ${step.datasource}, mail server${line}`;
    case 'loop':
      return `LOOP over ${step.over}${step.concurrency > 1 ? `, ${step.concurrency} at a time` : ''}${line}`;
    case 'call':
      return `calls operation '${step.operation}'${step.delivery === undefined ? '' : ' after the commit'}${line}`;
    case 'code':
      return `user code, src/code/${step.function}.ts${line}`;
    case 'compute':
      return `computes a value${line}`;
  }
}

function detailsOf(step: ExplainedStep, prefix: string): string[] {
  return [
    ...(step.condition === null ? [] : labelled('if', step.condition)),
    ...bodyOf(step, prefix),
    ...(step.continues ? labelled('failure', 'goes on') : []),
    ...step.exceptions.flatMap(printException),
    ...(step.index === null ? [] : labelled('index', step.index)),
    ...step.loopbreak.flatMap((condition) => labelled('break', condition)),
  ];
}

function printException({ status, condition, message }: ExplainedException): string[] {
  return labelled(String(status), `${JSON.stringify(message)} if ${condition}`);
}

function bodyOf(step: ExplainedStep, prefix: string): string[] {
  switch (step.kind) {
    case 'statements':
      return [
        ...(step.context ?? []).flatMap(({ name, value }) => labelled('context', `${name} = ${value}`)),
        ...step.statements.flatMap((statement, index) => [
          ...conditionOf(statement, index),
          ...printStatement(statement),
        ]),
      ];
    case 'requests':
      return [
        ...printIdentity(step),
        ...step.requests.flatMap((request, index) => [
          ...conditionOf(request, index),
          ...printRequest(request),
        ]),
      ];
    case 'messages':
      return step.messages.flatMap((message, index) => [
        ...conditionOf(message, index),
        ...printMessage(message),
      ]);
    case 'loop':
      return printSteps(step.steps, prefix);
    case 'call':
      return [
        ...step.parameters.flatMap(({ name, value }) => labelled(name, value)),
        ...(step.delivery === undefined ? [] : labelled('delivery', printCallDelivery(step.delivery))),
      ];
    case 'code':
      return [
        ...(step.input === null ? [] : labelled('input', step.input)),
        ...(step.returns === null ? [] : labelled('returns', step.returns)),
      ];
    case 'compute':
      return labelled('value', step.value);
  }
}

/** The condition of an instruction; the first instruction whose condition is true is sent. */
function conditionOf({ condition }: { readonly condition: string | null }, index: number): string[] {
  if (condition !== null) return labelled('when', condition);
  return index === 0 ? [] : ['otherwise'];
}

function printStatement(statement: ExplainedStatement): string[] {
  const { sql, orders = [], filters = [], count, parameters, reads, writes, columns } = statement;
  return [
    ...plainLines('sql', sql),
    ...orders.flatMap(({ name, isDefault, sql: first, next }) => [
      ...plainLines(`order ${name}${isDefault ? ', the default' : ''}`, first),
      ...(next === null ? [] : plainLines('the next page', next)),
    ]),
    ...(count === undefined ? [] : plainLines('the number of rows', count)),
    ...filters.flatMap(({ name, sql: condition }) => plainLines(`filter ${name}`, condition)),
    ...parameters.flatMap(({ marker, value, type, databaseType }) => {
      const known = [type, databaseType === null ? null : `bound as ${databaseType}`].filter(
        (one) => one !== null,
      );
      return labelled(marker, `${value}${known.length === 0 ? '' : `: ${known.join(', ')}`}`);
    }),
    ...(reads.length === 0 ? [] : labelled('reads', reads.join(', '))),
    ...(writes.length === 0 ? [] : labelled('writes', writes.join(', '))),
    ...(columns === null
      ? []
      : labelled(
          'rows',
          columns
            .map(({ name, databaseType, nullable }) => `${name} ${databaseType}${nullable ? ' or null' : ''}`)
            .join(', '),
        )),
  ];
}

type Requests = Extract<ExplainedStep, { kind: 'requests' }>;

const bodyLabels = { json: 'body', form: 'form', multipart: 'parts' };

/** Login and rate limit of the third party. */
function printIdentity({ oauth2, limit }: Pick<Requests, 'oauth2' | 'limit'>): string[] {
  return [
    ...(oauth2 === undefined ? [] : labelled('login', printLogin(oauth2))),
    ...(limit === undefined ? [] : labelled('limit', printLimit(limit))),
  ];
}

/** Describes a login, such as `OAuth 2, scope orders`. */
export function printLogin(scope: string): string {
  return `OAuth 2${scope === '' ? '' : `, scope ${scope}`}`;
}

/** Describes a rate limit, such as `10 per second, 4 at once`. */
export function printLimit({ perSecond, atOnce }: NonNullable<Requests['limit']>): string {
  return [
    ...(perSecond === undefined ? [] : [`${perSecond} per second`]),
    ...(atOnce === undefined ? [] : [`${atOnce} at a time`]),
  ].join(', ');
}

function printMessage({ to, cc, replyTo, subject, text, html, delivery }: ExplainedMessage): string[] {
  return [
    ...labelled('to', to),
    ...(cc === null ? [] : labelled('cc', cc)),
    ...(replyTo === null ? [] : labelled('reply to', replyTo)),
    ...labelled('subject', subject),
    ...plainLines('text', text),
    ...(html === null ? [] : plainLines('html', html)),
    ...(delivery === null ? [] : labelled('delivery', printDelivery(delivery))),
  ];
}

function printRequest(request: ExplainedRequest): string[] {
  const { method, url, header, sends, body, response, retry, maxPages, signed, delivery } = request;
  return [
    ...labelled('request', `${method} ${url}`),
    ...header.flatMap(({ name, value }) => labelled('header', `${name}: ${value}`)),
    ...(sends === null ? [] : labelled(bodyLabels[sends], body ?? '')),
    ...(response === undefined ? [] : labelled('result', printResponse(response))),
    ...(signed === null ? [] : labelled('signed', `by the scheme ${signed}`)),
    ...(maxPages === null ? [] : labelled('pages', `at most ${maxPages}`)),
    ...(retry === null ? [] : labelled('retry', printRetry(retry))),
    ...(delivery === null ? [] : labelled('delivery', printDelivery(delivery))),
  ];
}

/** Describes a response format, such as `JSON, whatever its content type`. */
export function printResponse(response: NonNullable<ExplainedRequest['response']>): string {
  return `${response === 'json' ? 'JSON' : 'a string'}, whatever its content type`;
}

/** Describes a delivery, such as `after the commit, stored in shopdb, in order of VALUE(order, $.id)`. */
export function printDelivery({ outbox, key }: ExplainedDelivery): string {
  return `after the commit, stored in ${outbox}${key === null ? '' : `, in order of ${key}`}`;
}

/** Describes retries, such as `at most 3 times, after 429, 503 or timeout`. */
export function printRetry({ times, on, ifUnsent }: ExplainedRetry): string {
  const outcomes = on.length === 1 ? on.join() : `${on.slice(0, -1).join(', ')} or ${on.at(-1) ?? ''}`;
  return `at most ${counted(times, 'time')}, after ${outcomes}${ifUnsent ? ', if no part of it was sent' : ''}`;
}

/** Describes a stored call, such as `stored in shopdb, with the caller's role, at most 5 attempts within 1 h`. */
export function printCallDelivery({
  outbox,
  encrypted,
  claims,
  times,
  within,
}: ExplainedCallDelivery): string {
  const caller =
    claims === 'all'
      ? ', with the whole caller'
      : claims.length === 0
        ? ''
        : `, with ${claims.join(', ')} of the caller`;
  const attempts = times === null ? 'attempts' : `at most ${counted(times, 'attempt')}`;
  return `stored in ${outbox}${encrypted ? ', encrypted' : ''}${caller}, ${attempts} within ${printSeconds(within)}`;
}

function printSeconds(seconds: number): string {
  const [unit, size] = Object.entries(units).findLast(([, length]) => seconds % length === 0) ?? ['s', 1];
  return `${seconds / size} ${unit}`;
}

function printCost({
  databases,
  thirdParties,
  loops,
  deliveries,
  later = [],
  ownCode,
  cycles,
}: Cost): string[] {
  const sent: [string, string][] = [
    ...databases.map(({ datasource, statements, roundTrips }): [string, string] => [
      datasource,
      `${counted(roundTrips, 'round trip')}, ${counted(statements, 'statement')}`,
    ]),
    ...thirdParties.map(({ datasource, calls, tries, seconds }): [string, string] => [
      datasource,
      `${counted(calls, 'request')}${tries === calls ? '' : `, ${tries} with retries`}; ${seconds} s`,
    ]),
  ];
  const letters = loops.map(({ symbol, fulfillment, over, bound, atMost }): [string, string] => [
    symbol,
    `iterations of '${fulfillment}' over ${over}: ${atMost === null ? `as many as ${bound}` : `at most ${atMost} (${bound})`}`,
  ]);
  const rounds = cycles.map((cycle): [string, string] => [
    'cycle',
    `${cycle}: counted once; calls may be 32 deep`,
  ]);
  const uncounted: [string, string][] = [
    ...deliveries.map((name): [string, string] => [name, 'deliveries after the commit are not counted']),
    ...later.map((name): [string, string] => [name, 'is called after the commit, and not counted']),
    ...(ownCode ? [['user code', 'its requests are not counted'] as [string, string]] : []),
  ];
  if (sent.length === 0 && uncounted.length === 0) return ['Nothing is sent.'];
  const rows = [...sent, ...uncounted, ...letters, ...rounds];
  const width = Math.max(7, ...rows.map(([label]) => label.length));
  return rows.flatMap(([label, text]) => labelled(label, text, width));
}

function printModel({ response, model, at, take, from }: ExplainedModel): string[] {
  const rows = from.map(({ fulfillment, joins, optional }) => {
    const by = joins.length === 0 ? '' : ` by ${joins.join(', ')}`;
    return `'${fulfillment}'${by}${optional ? ' (or null)' : ''}`;
  });
  const what = take === 'every row' ? 'one for each row of' : 'the first row of';
  return [
    `${model ?? 'values'}  at ${at} of response '${response}'`,
    ...wrapped(`${what} ${rows.join(', with ')}`, 90).map((line) => `  ${line}`),
  ];
}

/** A labelled text, such as `if      PARAM(q) != NULL()`, wrapped to several lines. */
function labelled(label: string, text: string, width = 7): string[] {
  const column = Math.max(width, label.length) + 2;
  const [first = '', ...others] = wrapped(text.replaceAll(/[\r\n\t]+/g, ' '), 100 - column);
  return [
    `${label.padEnd(column)}${first}`.trimEnd(),
    ...others.map((line) => `${' '.repeat(column)}${line}`),
  ];
}

/** Labelled lines that are not wrapped, such as those of a statement. */
function plainLines(label: string, text: string): string[] {
  const column = Math.max(7, label.length) + 2;
  return text
    .split(/\r\n|\r|\n/)
    .map((line, index) => `${(index === 0 ? label : '').padEnd(column)}${line}`.trimEnd());
}

/** Wraps at spaces; a word longer than the width is not split. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
