/** `apikiln diff`: the consequences of another configuration for clients, and the changes of statements and requests. */
import type { ServiceView, ViewedOperation } from '../explain/service-view.js';
import type { ApiDescription } from '../../read/openapi/api-model.js';
import { pathShape } from '../../read/openapi/match.js';
import { compareContracts } from './compare-contracts.js';
import { compareThirdParties } from './compare-third-parties.js';
import type { Change, Differences, SentChange, ThirdPartyChange } from './differences.js';
import { lineDiff } from './line-diff.js';
import { codeChanges } from './code-changes.js';
import { deploymentChanges } from './deployment-changes.js';
import { contractOf, type Contract } from './operation-contract.js';
import { nothingSent, sentTexts, type SentTexts } from './sent-texts.js';

/** One side of the comparison. */
export interface ComparedService {
  readonly view: ServiceView;
  /** A description of the configuration itself: if there is none, one is generated. */
  readonly generated: ApiDescription;
}

export function compareServices(before: ComparedService, after: ComparedService): Differences {
  const pairs = pairUp(before.view.operations, after.view.operations);
  const moved = newEndpoints(pairs, after.view);
  const changes = pairs.flatMap((pair) => compareOperations(pair, before, after, moved));
  const list = (isBreaking: boolean): Change[] =>
    changes
      .filter((change) => change.isBreaking === isBreaking)
      .map(({ operation, text }) => ({ operation, text }));
  return {
    breaking: list(true),
    compatible: list(false),
    thirdParties: pairs.flatMap((pair) => compareDescriptions(pair, before.view, after.view)),
    sent: pairs.flatMap((pair) => compareSent(pair, before.view, after.view)),
    deployment: deploymentChanges(before.view.plan, after.view.plan),
  };
}

interface Pair {
  readonly old: ViewedOperation | undefined;
  readonly now: ViewedOperation | undefined;
}

/** In the order of the old configuration, the new ones behind. */
function pairUp(old: readonly ViewedOperation[], now: readonly ViewedOperation[]): Pair[] {
  const byKey = new Map(now.map((operation) => [keyOf(operation), operation]));
  const keys = new Set(old.map(keyOf));
  return [
    ...old.map((operation): Pair => ({ old: operation, now: byKey.get(keyOf(operation)) })),
    ...now
      .filter((operation) => !keys.has(keyOf(operation)))
      .map((operation): Pair => ({ old: undefined, now: operation })),
  ];
}

/** Clients do not see the names of path parameters, nor those of operations without an endpoint. */
function keyOf({ plan: { name, endpoint } }: ViewedOperation): string {
  return endpoint === undefined ? `operation ${name}` : `${endpoint.method} ${pathShape(endpoint.path)}`;
}

interface FoundChange extends Change {
  readonly isBreaking: boolean;
}

function compareOperations(
  { old, now }: Pair,
  before: ComparedService,
  after: ComparedService,
  moved: ReadonlyMap<string, string>,
): FoundChange[] {
  const operation = nameOf({ old, now });
  const change = (isBreaking: boolean, text: string): FoundChange => ({ operation, isBreaking, text });
  const timers = [
    ...codeChanges(old, now, before.view, after.view).map((text) => change(true, text)),
    ...(timersOf(old) === timersOf(now) ? [] : [change(false, timersChanged(old, now))]),
  ];
  const [oldEndpoint, nowEndpoint] = [old?.plan.endpoint, now?.plan.endpoint];
  if (old !== undefined && now !== undefined && oldEndpoint !== undefined && nowEndpoint !== undefined) {
    const changes = compareContracts(contractIn(old, before, after), contractIn(now, after, before));
    return [...changes.map(({ isBreaking, text }) => change(isBreaking, text)), ...timers];
  }
  if (old !== undefined && oldEndpoint !== undefined) {
    const other = moved.get(sentTexts(old, before.view).lines.join('\n'));
    return [change(true, `it is gone${other === undefined ? '' : `; '${other}' sends the same`}`)];
  }
  return nowEndpoint === undefined ? timers : [change(false, 'it is new'), ...timers];
}

/** With the written descriptions if both have one, else with those of both configurations. */
function contractIn(operation: ViewedOperation, own: ComparedService, other: ComparedService): Contract {
  const written = own.view.analysis.description;
  const areWritten = written !== undefined && other.view.analysis.description !== undefined;
  return contractOf(operation, own.view, areWritten ? written : (written ?? own.generated), areWritten);
}

function nameOf({ old, now }: Pair): string {
  return (old ?? now)?.plan.name ?? '';
}

function timersOf(operation: ViewedOperation | undefined): string {
  return (operation?.plan.triggers ?? [])
    .map(({ cron, timezone }) => `${cron}${timezone === undefined ? '' : ` in ${timezone}`}`)
    .join(', ');
}

function timersChanged(old: ViewedOperation | undefined, now: ViewedOperation | undefined): string {
  const [before, after] = [timersOf(old), timersOf(now)];
  if (before === '') return `it runs by a timer now: ${after}`;
  return after === ''
    ? `it runs by no timer now; it ran at ${before}`
    : `it runs at ${after} now; it ran at ${before}`;
}

/** The new endpoints by the statements and requests that they send: a removed one that sent the same is probably one of them, under another name. */
function newEndpoints(pairs: readonly Pair[], after: ServiceView): ReadonlyMap<string, string> {
  return new Map(
    pairs.flatMap(({ old, now }): [string, string][] => {
      if (old !== undefined || now?.plan.endpoint === undefined) return [];
      const text = sentTexts(now, after).lines.join('\n');
      return text === '' ? [] : [[text, now.plan.name]];
    }),
  );
}

function compareDescriptions(
  { old, now }: Pair,
  before: ServiceView,
  after: ServiceView,
): ThirdPartyChange[] {
  if (old === undefined || now === undefined) return [];
  return compareThirdParties([old, before], [now, after]).map(({ datasource, text }) => ({
    ...{ operation: nameOf({ old, now }), datasource, text },
  }));
}

function compareSent({ old, now }: Pair, before: ServiceView, after: ServiceView): SentChange[] {
  const sent = (operation: ViewedOperation | undefined, view: ServiceView): SentTexts =>
    operation === undefined ? nothingSent : sentTexts(operation, view);
  const [was, is] = [sent(old, before), sent(now, after)];
  const diff = lineDiff(was.lines, is.lines);
  if (diff.length === 0) return [];
  const compare = (which: 'reads' | 'writes') => ({
    added: [...is[which]].filter((table) => !was[which].has(table)),
    removed: [...was[which]].filter((table) => !is[which].has(table)),
  });
  return [{ operation: nameOf({ old, now }), reads: compare('reads'), writes: compare('writes'), diff }];
}
