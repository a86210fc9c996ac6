/** The effects of a changed operation on its clients. */
import {
  breaking,
  compareInput,
  compareOutput,
  fine,
  isAlwaysThere,
  isGone,
  isNew,
  mayBeMissing,
  type ShapeChange,
} from './compare-shapes.js';
import { compareIdempotency } from './compare-idempotency.js';
import { compareTools } from './compare-tools.js';
import { compareLimits } from './compare-limits.js';
import { compareExceptions, compareHeaders } from './error-bodies.js';
import type { Contract, ContractParameter, ContractResponse } from './operation-contract.js';
import type { Shape } from './value-shape.js';

export function compareContracts(before: Contract, after: Contract): ShapeChange[] {
  return unique([
    ...compareAccess(before.access, after.access),
    ...compareLimits(before.limits, after.limits),
    ...compareIdempotency(before.idempotency, after.idempotency),
    ...compareTools(before.tool, after.tool),
    ...comparePages(before, after),
    ...compareParameters(before.parameters, after.parameters),
    ...compareBodies(before.body, after.body),
    ...compareTypes(before.accepts, after.accepts),
    ...(before.invalid === after.invalid
      ? []
      : [breaking(`invalid requests are ${after.invalid} now; they were ${before.invalid}`)]),
    ...compareStatuses(before, after),
    ...compareResponses(before.responses, after.responses),
    ...compareExceptions(before.exceptions, after.exceptions),
    ...compareLists(before.lists, after.lists),
  ]);
}

/** Removes duplicates: the description and the configuration may declare the same change. */
function unique(changes: readonly ShapeChange[]): ShapeChange[] {
  return changes.filter(({ text }, index) => changes.findIndex((other) => other.text === text) === index);
}

function compareAccess(before: Contract['access'], after: Contract['access']): ShapeChange[] {
  const names = (access: Iterable<string>): string => [...access].join(', ');
  if (before === undefined)
    return after === undefined
      ? []
      : [breaking(`it asks for credentials now: those of ${names(after.keys())}`)];
  if (after === undefined)
    return [fine(`it is open to anyone now; it asked for credentials of ${names(before.keys())}`)];
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const added = [...after.keys()].filter((name) => !before.has(name));
  return [
    ...(gone.length === 0 ? [] : [breaking(`credentials of ${names(gone)} are not accepted now`)]),
    ...(added.length === 0 ? [] : [fine(`credentials of ${names(added)} are accepted now`)]),
    ...[...after].flatMap(([name, scopes]) => compareScopes(name, before.get(name), scopes)),
  ];
}

/** Of operations that ask for no credentials: others refuse such pages for their credentials. */
function comparePages(before: Contract, after: Contract): ShapeChange[] {
  const isOpen = before.access === undefined && after.access === undefined;
  if (!isOpen || before.isForKnownPages === after.isForKnownPages) return [];
  return [
    after.isForKnownPages
      ? breaking('pages of other origins are refused now, except those of CORS_ORIGIN')
      : fine('pages of other origins are accepted now'),
  ];
}

function compareScopes(
  name: string,
  before: readonly string[] | undefined,
  after: readonly string[],
): ShapeChange[] {
  if (before === undefined) return [];
  const added = after.filter((scope) => !before.includes(scope));
  const gone = before.filter((scope) => !after.includes(scope));
  return [
    ...(added.length === 0 ? [] : [breaking(`it asks callers of ${name} for ${added.join(', ')} now`)]),
    ...(gone.length === 0 ? [] : [fine(`it does not ask callers of ${name} for ${gone.join(', ')} now`)]),
  ];
}

function compareParameters(
  before: readonly ContractParameter[],
  after: readonly ContractParameter[],
): ShapeChange[] {
  const known = new Map(before.map((parameter) => [parameter.name, parameter]));
  const now = new Map(after.map((parameter) => [parameter.name, parameter]));
  const gone = before.filter(({ name }) => !now.has(name));
  return [
    ...gone.map(({ name }) => breaking(`${name} was removed: it is no longer read`)),
    ...after.flatMap(({ name, shape, isRequired }): ShapeChange[] => {
      const old = known.get(name);
      if (old === undefined)
        return [isRequired ? breaking(`${name} is new and required`) : fine(`${name} is new`)];
      const required =
        old.isRequired === isRequired
          ? []
          : [isRequired ? breaking(`${name} is required now`) : fine(`${name} is optional now`)];
      return [...required, ...compareInput(old.shape, shape, name)];
    }),
  ];
}

function compareBodies(before: Contract['body'], after: Contract['body']): ShapeChange[] {
  if (after === undefined) return before === undefined ? [] : [breaking('body is no longer read')];
  if (before === undefined)
    return after.isRequired ? [breaking('body is new and required')] : [fine('body is read now')];
  const required =
    before.isRequired === after.isRequired
      ? []
      : [after.isRequired ? breaking('body is required now') : fine('body is optional now')];
  return [...required, ...compareInput(before.shape, after.shape, 'body')];
}

/** Content types of request bodies. */
function compareTypes(before: Contract['accepts'], after: Contract['accepts']): ShapeChange[] {
  const types = (accepts: Contract['accepts']): readonly string[] => accepts ?? ['JSON'];
  const gone = types(before).filter((type) => !types(after).includes(type));
  const added = types(after).filter((type) => !types(before).includes(type));
  return [
    ...(gone.length === 0 ? [] : [breaking(`bodies that are ${gone.join(', ')} are not accepted now`)]),
    ...(added.length === 0 ? [] : [fine(`bodies that are ${added.join(', ')} are accepted now`)]),
  ];
}

/** A response whose status changed is reported as such. */
function compareStatuses(before: Contract, after: Contract): ShapeChange[] {
  const moved = before.responses.flatMap((response) => {
    const same = after.responses.find(({ name }) => name === response.name);
    return same === undefined || same.status === response.status ? [] : [{ response, same }];
  });
  const from = new Set(moved.map(({ response }) => response.status));
  const to = new Set(moved.map(({ same }) => same.status));
  const gone = [...before.statuses].filter((status) => !after.statuses.has(status) && !from.has(status));
  const added = [...after.statuses].filter((status) => !before.statuses.has(status) && !to.has(status));
  return [
    ...moved.map(({ response, same }) =>
      breaking(`response '${response.name}' has the status ${same.status} now; it had ${response.status}`),
    ),
    ...gone.map((status) => breaking(`the status ${status} was removed`)),
    ...added.map((status) => fine(`the status ${status} is new`)),
  ];
}

function compareResponses(
  before: readonly ContractResponse[],
  after: readonly ContractResponse[],
): ShapeChange[] {
  return before.flatMap((response) => {
    const same = counterpart(response, after);
    if (same === undefined) return [];
    const at = `response ${same.status}`;
    const built = compareOptional(response.built, same.built, at, true);
    return [
      ...compareContent(response, same, at),
      ...built,
      ...compareOptional(response.described, same.described, at, false).filter(
        (change) => !isAboutPresence(change, built),
      ),
    ];
  });
}

/**
 * Whether the change repeats a change of presence in `built`: a field that the description calls optional was removed, or one that it calls
 * always present is new.
 */
function isAboutPresence({ text }: ShapeChange, built: readonly ShapeChange[]): boolean {
  const known = text.replace(mayBeMissing, isGone).replace(isAlwaysThere, isNew);
  return known !== text && built.some((change) => change.text === known);
}

/** Compares content type, columns and headers. */
function compareContent(before: ContractResponse, after: ContractResponse, at: string): ShapeChange[] {
  const type = (response: ContractResponse): string => response.type ?? 'application/json';
  const areFiles = before.allowed !== undefined && after.allowed !== undefined;
  const isOtherType = !areFiles && type(before) !== type(after);
  const columns = after.columns.join();
  return [
    ...(isOtherType && before.built !== undefined && after.built !== undefined
      ? [breaking(`${at} is ${type(after)} now; it was ${type(before)}`)]
      : []),
    ...(areFiles ? compareAllowed(before.allowed, after.allowed, at) : []),
    ...(!isOtherType && before.columns.join() !== columns
      ? [
          columns.startsWith(`${before.columns.join()},`)
            ? fine(
                `${at} has more columns at its end: ${after.columns.slice(before.columns.length).join(', ')}`,
              )
            : breaking(
                `${at} has the columns ${after.columns.join(', ')} now; it had ${before.columns.join(', ')}`,
              ),
        ]
      : []),
    ...(before.isForSpreadsheets === after.isForSpreadsheets
      ? []
      : [
          breaking(
            `${at} ${after.isForSpreadsheets ? 'begins with a byte order mark now, and has apostrophes before formulas' : 'has no byte order mark now, and no apostrophes before formulas'}`,
          ),
        ]),
    ...compareHeaders(before.headers, after.headers, at),
  ];
}

/** The media types of stored files. */
function compareAllowed(before: readonly string[], after: readonly string[], at: string): ShapeChange[] {
  return [
    ...before
      .filter((type) => !after.includes(type))
      .map((type) => breaking(`${at} sends ${type} as application/octet-stream now`)),
    ...after.filter((type) => !before.includes(type)).map((type) => fine(`${at} can be ${type} now`)),
  ];
}

/** The parameters of a description may be silent about orders and pages. */
function compareLists(before: Contract['lists'], after: Contract['lists']): ShapeChange[] {
  if (before.length !== after.length) return [];
  return before.flatMap((old, index) => {
    const now = after[index];
    if (now === undefined) return [];
    const gone = old.orders.filter((order) => !now.orders.includes(order));
    const added = now.orders.filter((order) => !old.orders.includes(order));
    const unfiltered = old.filters.filter((filter) => !now.filters.includes(filter));
    const filters = now.filters.filter((filter) => !old.filters.includes(filter));
    const limit = now.max === undefined ? 'all rows' : `at most ${now.max} rows`;
    const isFewer = now.max !== undefined && (old.max === undefined || now.max < old.max);
    return [
      ...gone.map((order) => breaking(`the order '${order}' was removed`)),
      ...added.map((order) => fine(`the order '${order}' is new`)),
      ...unfiltered.map((filter) => breaking(`the filter ${filter} was removed`)),
      ...filters.map((filter) => fine(`the filter ${filter} is new`)),
      ...(old.default === now.default || now.default === undefined
        ? []
        : [fine(`the order is '${now.default}' now if a request names none`)]),
      ...(old.max === now.max ? [] : [{ isBreaking: isFewer, text: `a response has ${limit} now` }]),
      ...compareOffsets(old.maxOffset, now.maxOffset),
      ...(old.isClamped && !now.isClamped
        ? [breaking('an invalid page number or size has status 400 now, instead of the nearest page')]
        : []),
    ];
  });
}

/** The maximum number of rows before a page. */
function compareOffsets(before: number | undefined, after: number | undefined): ShapeChange[] {
  if (before === undefined || before === after) return [];
  if (after === undefined) return [breaking('requests cannot choose a page by its number or offset now')];
  const text = `a page can have at most ${after} rows before it now`;
  return [after < before ? breaking(text) : fine(text)];
}

/** The response with the same name, or else the only one with the same status. */
function counterpart(
  { name, status }: ContractResponse,
  after: readonly ContractResponse[],
): ContractResponse | undefined {
  const alike = after.filter((response) => response.status === status);
  return after.find((response) => response.name === name) ?? (alike.length === 1 ? alike[0] : undefined);
}

/** `isBody`: a missing shape means that there is no body. */
function compareOptional(
  before: Shape | undefined,
  after: Shape | undefined,
  at: string,
  isBody: boolean,
): ShapeChange[] {
  if (before !== undefined && after !== undefined) return compareOutput(before, after, at);
  if (!isBody || before === after) return [];
  return [before === undefined ? fine(`${at} has a body now`) : breaking(`${at} has no body now`)];
}
