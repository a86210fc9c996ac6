/** Messages about parts that a third party's description lacks or forbids. */
import { didYouMean, type Wording } from '../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../read/diagnostics/quoted-list.js';
import { isUnambiguous, nearest } from '../../read/diagnostics/suggest.js';
import { partOf, type Span } from '../../read/source.js';
import { meantPath, type ThirdPartyRequest } from '../operations/requests/third-party-request.js';

/** A path, or a method of a path, that the description does not contain. */
export interface UndescribedPath {
  /** The request as sent: `GET /paymnts`. */
  readonly sent: string;
  readonly datasource: string;
  /** The described methods of the path; empty if the path is not described. */
  readonly methods: readonly string[];
  readonly meant: ReturnType<typeof meantPath>;
  /** The span of the path. */
  readonly span: Span;
}

export function undescribedPath(
  found: ThirdPartyRequest,
  method: string,
  datasource: string,
  span: Span,
): UndescribedPath {
  const { path, thirdParty, segments } = found;
  const shown = path ?? `/${segments.map((segment) => segment ?? '…').join('/')}`;
  return {
    ...{ sent: `${method} ${shown}`, datasource, span },
    methods: path === undefined ? [] : thirdParty.endpoints(path).map((endpoint) => endpoint.method),
    meant: path === undefined ? meantPath(found, nearest) : undefined,
  };
}

export function undescribedPathWording({ sent, datasource, methods, meant, span }: UndescribedPath): Wording {
  const message = `The description of '${datasource}' has no ${sent}.`;
  if (methods.length > 0)
    return { message, hint: `Write ${methods.join(' or ')}: these are the methods of this path.` };
  if (meant === undefined)
    return { message, hint: 'Compare the path with the description, or remove the description.' };
  const { path, segment } = meant;
  return {
    ...{ message, hint: `Did you mean '${path}'?` },
    ...(segment && {
      instead: segment.meant,
      insteadOf: partOf(span, segment.written),
      isSuggestion: true,
    }),
  };
}

/** A name that the description does not contain. */
export interface UndescribedName {
  readonly name: string;
  readonly datasource: string;
  /** The kind of name: `property`, `query parameter`, `header`, `field`. */
  readonly what: string;
  /** The place of the missing name: `here`, `in this result`. */
  readonly where: string;
  readonly names: readonly string[];
  /** The names that may be intended. */
  readonly free: readonly string[];
}

export function undescribedNameWording(p: UndescribedName): Wording {
  const meant = nearest(p.name, p.free);
  const plural = p.what === 'property' ? 'properties' : `${p.what}s`;
  const list =
    p.names.length === 0
      ? 'It has none.'
      : `Its ${plural} are ${quotedList(p.names.slice(0, 12))}${p.names.length > 12 ? ', …' : '.'}`;
  return {
    message: `The description of '${p.datasource}' has no ${p.what} '${p.name}' ${p.where}.`,
    hint: meant === undefined ? list : `Did you mean '${meant}'? ${list}`,
    ...(meant !== undefined && { instead: meant, isSuggestion: !isUnambiguous(p.name, p.free) }),
  };
}

/** A value that the description does not allow. */
export interface ForbiddenValue {
  readonly datasource: string;
  readonly problem: string;
  readonly written: string | undefined;
  readonly allowed: readonly string[];
  readonly span: Span;
}

export function forbiddenValueWording(p: ForbiddenValue): Wording {
  const meant = p.written === undefined ? undefined : nearest(p.written, p.allowed);
  const others =
    p.allowed.length > 0
      ? `Write one of ${quotedList(p.allowed.slice(0, 12))}.`
      : 'Write a value that it allows.';
  return {
    message: `The description of '${p.datasource}' forbids this value: ${p.problem}.`,
    hint: didYouMean(meant) ?? others,
    ...(meant !== undefined &&
      p.written !== undefined && {
        instead: meant,
        insteadOf: partOf(p.span, p.written),
        isSuggestion: !isUnambiguous(p.written, p.allowed),
      }),
  };
}
