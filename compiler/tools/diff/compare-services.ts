/** `apikiln diff`: what a changed configuration means for clients, and which statements and requests changed. */
import type { ServiceView, ViewedOperation } from '../explain/service-view.js';
import type { ApiDescription } from '../../read/openapi/api-model.js';
import { pathShape } from '../../read/openapi/match.js';
import type { Settings } from '../../read/config/config-model.js';
import { compareContracts } from './compare-contracts.js';
import { breaking, fine, type ShapeChange } from './compare-shapes.js';
import { compareCredentials, sameCredentials, type SameCredentials } from './compare-credentials.js';
import { compareErrorBodies } from './error-bodies.js';
import { compareMcp } from './compare-tools.js';
import { compareLimits } from './compare-limits.js';
import { compareThirdParties } from './compare-third-parties.js';
import type { Change, Differences, SentChange, ThirdPartyChange } from './differences.js';
import { lineDiff } from './line-diff.js';
import { codeChanges, functionChanges } from './code-changes.js';
import { contractOf, type Contract } from './operation-contract.js';
import { nothingSent, sentTexts, type SentTexts } from './sent-texts.js';

/** One side of the comparison. */
export interface ComparedService {
  readonly view: ServiceView;
  /** The generated description of the configuration. */
  readonly generated: ApiDescription;
}

export function compareServices(before: ComparedService, after: ComparedService): Differences {
  const pairs = pairUp(before.view, after.view);
  const moved = newEndpoints(pairs, after.view);
  const same = sameCredentials(before.view.analysis.config, after.view.analysis.config);
  const changes = [
    ...compareWhole(before.view, after.view, same, pairs),
    ...pairs.flatMap((pair) => compareOperations(pair, { before, after, moved, same })),
  ];
  const list = (isBreaking: boolean): Change[] =>
    changes
      .filter((change) => change.isBreaking === isBreaking)
      .map(({ operation, text }) => ({ operation, text }));
  return {
    breaking: list(true),
    compatible: list(false),
    thirdParties: pairs.flatMap((pair) => compareDescriptions(pair, before.view, after.view)),
    sent: pairs.flatMap((pair) => compareSent(pair, before.view, after.view)),
  };
}

interface Pair {
  readonly old: ViewedOperation | undefined;
  readonly now: ViewedOperation | undefined;
}

/** Pairs operations by URL, or else by path if the base path changed. Ordered by the old configuration, followed by new operations. */
function pairUp(before: ServiceView, after: ServiceView): Pair[] {
  const old = before.operations;
  const [oldBase, nowBase] = [before, after].map((view) => view.analysis.config.settings.basePath);
  const byUrl = new Map(after.operations.map((operation) => [keyOf(operation, nowBase), operation]));
  const free = new Set(after.operations);
  const take = (operation: ViewedOperation | undefined): ViewedOperation | undefined =>
    operation !== undefined && free.delete(operation) ? operation : undefined;
  const same = old.map((operation) => take(byUrl.get(keyOf(operation, oldBase))));
  const byPath = new Map([...free].map((operation) => [keyOf(operation), operation]));
  return [
    ...old.map((operation, index) => ({
      old: operation,
      now: same[index] ?? take(byPath.get(keyOf(operation))),
    })),
    ...[...free].map((operation) => ({ old: undefined, now: operation })),
  ];
}

/** Ignores what clients do not see: names of path parameters, and names of operations with an endpoint. */
function keyOf({ plan: { name, endpoint } }: ViewedOperation, basePath = ''): string {
  return endpoint === undefined
    ? `operation ${name}`
    : `${endpoint.method} ${basePath}${pathShape(endpoint.path)}`;
}

/** Compares parts common to all operations: base URL, credentials, errors, and paths added by the service. */
function compareWhole(
  before: ServiceView,
  after: ServiceView,
  same: SameCredentials,
  pairs: readonly Pair[],
): FoundChange[] {
  const [old, now] = [before.analysis.config, after.analysis.config];
  const [base, nowBase] = [old.settings.basePath, now.settings.basePath];
  const isMoved = pairs.some(
    ({ old: one, now: other }) =>
      one?.plan.endpoint !== undefined && other !== undefined && keyOf(one, base) !== keyOf(other, nowBase),
  );
  const shown = (path: string): string => (path === '' ? '/' : path);
  const changes = [
    ...(isMoved ? [breaking(`every URL begins with ${shown(nowBase)} now; it was ${shown(base)}`)] : []),
    ...compareCredentials(old, now, same),
    ...compareErrorBodies(before, after),
    ...compareLimits(old.settings.limits, now.settings.limits, 'the service'),
    ...compareNumbers(old.settings, now.settings),
    ...compareServed(old.settings, now.settings),
    ...compareMcp(old.mcp, now.mcp),
    ...functionChanges(before, after).map(breaking),
  ];
  return changes.map((change) => ({ operation: null, ...change }));
}

function compareNumbers({ numbers: before }: Settings, { numbers }: Settings): ShapeChange[] {
  if (before === numbers) return [];
  return [
    breaking(
      numbers === 'string'
        ? "responses send every bigint, numeric and decimal as a string now; they were numbers ('numbers: string')"
        : "responses send bigint, numeric and decimal as numbers now, if a double holds them; they were strings ('numbers: exact')",
    ),
  ];
}

/** The paths of the service itself. */
function compareServed(before: Settings, after: Settings): ShapeChange[] {
  const served = ({ debug, apiDocs }: Settings): Map<string, boolean> =>
    new Map([
      ['the API description under /v3/api-docs', debug || apiDocs],
      ['the test page under /docs-ui', debug],
    ]);
  const old = served(before);
  return [...served(after)].flatMap(([what, isThere]) => {
    if (old.get(what) === isThere) return [];
    return [isThere ? fine(`${what} is new`) : breaking(`${what} was removed`)];
  });
}

interface FoundChange extends Change {
  readonly isBreaking: boolean;
}

interface Sides {
  readonly before: ComparedService;
  readonly after: ComparedService;
  /** Names of new endpoints by the text of their statements and requests, to recognize renamed endpoints. */
  readonly moved: ReadonlyMap<string, string>;
  readonly same: SameCredentials;
}

function compareOperations({ old, now }: Pair, { before, after, moved, same }: Sides): FoundChange[] {
  const operation = nameOf({ old, now });
  const change = (isBreaking: boolean, text: string): FoundChange => ({ operation, isBreaking, text });
  const timers = [
    ...codeChanges(old, now, before.view, after.view).map((text) => change(true, text)),
    ...(timersOf(old) === timersOf(now) ? [] : [change(false, timersChanged(old, now))]),
  ];
  const [oldEndpoint, nowEndpoint] = [old?.plan.endpoint, now?.plan.endpoint];
  if (old !== undefined && now !== undefined && oldEndpoint !== undefined && nowEndpoint !== undefined) {
    const contract = withNames(contractIn(old, before, after), same);
    const changes = compareContracts(contract, contractIn(now, after, before));
    return [...changes.map(({ isBreaking, text }) => change(isBreaking, text)), ...timers];
  }
  if (old !== undefined && oldEndpoint !== undefined) {
    const other = moved.get(sentTexts(old, before.view).lines.join('\n'));
    return [change(true, `it was removed${other === undefined ? '' : `; '${other}' sends the same`}`)];
  }
  return nowEndpoint === undefined ? timers : [change(false, 'it is new'), ...timers];
}

/** The contract with authentication names of the new configuration. */
function withNames(contract: Contract, same: SameCredentials): Contract {
  const { access } = contract;
  if (access === undefined) return contract;
  return {
    ...contract,
    access: new Map([...access].map(([name, scopes]) => [same.get(name) ?? name, scopes])),
  };
}

/** Compares the written descriptions if both exist, otherwise the descriptions generated from both configurations. */
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
  if (before === '') return `it runs on a timer now: ${after}`;
  return after === ''
    ? `it no longer runs on a timer; it ran at ${before}`
    : `it runs at ${after} now; it ran at ${before}`;
}

/** New endpoints by their statements and requests: a removed endpoint that sent the same was probably renamed. */
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
