/** Settings of datasources and authentications that are set but never read, with the names that were probably meant. */
import { editDistance } from './edit-distance.js';
import type { SettingNames } from './environment.js';

/** A sentence about unread names, and the fields of its log entry. Contains no values. */
export interface UnreadReport {
  readonly message: string;
  readonly fields: { readonly setting: string } | { readonly count: number };
}

/** One report for each name that resembles a setting that is not set, and one for all others. */
export function unreadReports({ unread, missing }: Pick<SettingNames, 'unread' | 'missing'>): UnreadReport[] {
  const names = unread.map((name) => {
    const shown = name.slice(0, longestName);
    return { shown, meant: meantBy(shown, missing) };
  });
  const others = names.flatMap(({ shown, meant }) => (meant === undefined ? [shown] : []));
  const listed = `${others.slice(0, shownNames).join(', ')}${others.length > shownNames ? ' …' : ''}`;
  return [
    ...names.flatMap(({ shown, meant }) =>
      meant === undefined
        ? []
        : {
            message: `${shown} is not read by this service; did you mean ${meant}?`,
            fields: { setting: shown },
          },
    ),
    ...(others.length === 0
      ? []
      : [{ message: `Not read by this service: ${listed}`, fields: { count: others.length } }]),
  ];
}

/** The reports as problems of a start. They are printed, unlike entries of the log, so control characters are replaced. */
export function unreadProblems(names: Pick<SettingNames, 'unread' | 'missing'>): string[] {
  return unreadReports(names).map(({ message }) => message.replace(/\p{Cc}/gu, '?'));
}

/** Limits for reports, because the environment may contain many long names. */
const shownNames = 10;
const longestName = 100;

/** Maximum number of edits between a name and its suggested correction. */
const furthest = 3;

/** The candidate most similar to the name; undefined if all differ too much. */
function meantBy(name: string, candidates: readonly string[]): string | undefined {
  const near = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(name, candidate) }))
    .filter(({ distance }) => distance <= furthest);
  return near.sort((a, b) => a.distance - b.distance)[0]?.candidate;
}

/** Fields that other programs name differently; the first word is the name in a service. */
const synonyms: readonly (readonly string[])[] = [
  ['URL', 'URI', 'JDBC_URL', 'DSN', 'HOST', 'HOSTNAME', 'ADDRESS'],
  ['REPLICA_URL', 'REPLICA_URI', 'REPLICA_HOST'],
  ['USER', 'USERNAME', 'USER_NAME', 'LOGIN'],
  ['PASSWORD', 'PASSWD', 'PASS', 'PWD'],
  ['POOL_MAX', 'POOL_SIZE', 'MAX_POOL_SIZE', 'MAX_CONNECTIONS'],
  ['JWKS', 'JWKS_URL', 'JWKS_URI'],
];

/**
 * The number of edits between two names, as a whole if it is one, otherwise of resource and field separately: of `DATASOURCE_DB_PWD`, the
 * resource DB has to match, and PWD has to be similar to the field or a synonym of it.
 */
function distanceOf(name: string, candidate: string): number {
  const [kind, ...parts] = name.toUpperCase().split(/[^A-Z0-9]/);
  const [otherKind, ...otherParts] = candidate.split('_');
  if (kind !== otherKind) return Number.POSITIVE_INFINITY;
  const whole = editDistance(parts.join('_'), otherParts.join('_'), 2);
  if (whole < 2) return whole;
  const others = splitsOf(otherParts);
  return Math.min(
    Number.POSITIVE_INFINITY,
    ...splitsOf(parts).flatMap(([resource, field]) =>
      others.map(
        ([otherResource, otherField]) =>
          wordDistance(resource, otherResource) +
          (areSynonyms(field, otherField) ? 0 : wordDistance(field, otherField)),
      ),
    ),
  );
}

/** All ways to split a name into resource and field. */
function splitsOf(parts: readonly string[]): [resource: string, field: string][] {
  return parts.slice(1).map((_, index) => {
    return [parts.slice(0, index + 1).join('_'), parts.slice(index + 1).join('_')];
  });
}

/** The edits between two words; infinite if more than a third of the letters differ. */
function wordDistance(word: string, other: string): number {
  const limit = word.length < 2 ? 1 : Math.max(1, Math.floor(word.length / 3)) + 1;
  const distance = editDistance(word, other, limit);
  return distance < limit ? distance : Number.POSITIVE_INFINITY;
}

function areSynonyms(field: string, other: string): boolean {
  return synonyms.some((words) => words.includes(field) && words.includes(other));
}
