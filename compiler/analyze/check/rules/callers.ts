/** Checks the fields read by CALLER against the authentications that the operation accepts. */
import type { Config, KnownAuthentication, Operation } from '../../../read/config/config-model.js';
import { didYouMean, meantOr, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { isUnambiguous, nearest } from '../../../read/diagnostics/suggest.js';
import type { Expression } from '../../../read/expression/ast.js';
import { partOf, type Span } from '../../../read/source.js';
import type { Analysis } from '../../operations/analysis.js';
import { acceptedBy, finderOf } from '../../operations/authentications/accepted.js';
import { knownFields } from '../../types/known-fields.js';
import type { ServiceTypes } from '../../types/service-types.js';
import { spanOfStep } from '../read-path.js';
import { ruleOfWhole } from '../rule.js';

/**
 * Reports fields that no caller has, which are always null, and comparisons with names of authentications that the operation does not
 * accept, which are never equal.
 */
export const unknownCaller = ruleOfWhole(
  {
    'unknown-caller': warning(
      { written: 'text', operation: 'text', names: 'text' },
      (p: { written: string; operation: string; names: readonly string[]; span: Span }) => {
        const meant = nearest(p.written, p.names);
        return {
          message: `The authentication of a caller of '${p.operation}' is never '${p.written}'.`,
          hint: didYouMean(meant) ?? `It is ${quotedList(p.names, ' or ')}.`,
          ...(meant !== undefined && {
            instead: meant,
            insteadOf: partOf(p.span, p.written),
            isSuggestion: !isUnambiguous(p.written, p.names),
          }),
          isOfOperation: true,
        };
      },
    ),
    'unknown-caller-field': warning(
      { name: 'text', operation: 'text', names: 'text', nearest: 'suggestion', finder: 'text' },
      (p: UnknownCallerField) => ({
        message: `Callers of '${p.operation}' have no field '${p.name}': it is always null.`,
        ...meantOr(
          p.nearest,
          `Their fields are ${quotedList(p.names)}.${p.finder === undefined ? '' : ` Add it to the response of '${p.finder}', which finds the caller.`}`,
        ),
        isSuggestion: !isUnambiguous(p.name, p.names),
        isOfOperation: true,
        subject: JSON.stringify([p.within.start, p.name]),
      }),
    ),
  },
  ({ analysis, report }) => {
    const known = new Map<Operation, Callers | undefined>();
    const callersIn = (operation: Operation): Callers | undefined => {
      if (!known.has(operation)) known.set(operation, callersOf(operation, analysis));
      return known.get(operation);
    };
    const compare = (side: Expression, constant: Expression, operation: Operation): void => {
      if (!isNameOfAuthentication(side) || constant.kind !== 'text') return;
      const { names = [] } = callersIn(operation) ?? {};
      if (names.length === 0 || names.includes(constant.value)) return;
      const { value: written, span } = constant;
      report('unknown-caller', span, { written, operation: operation.name.value, names, span });
    };
    return {
      comparison: ({ left, right }, { operation }) => {
        compare(left, right, operation);
        compare(right, left, operation);
      },
      caller: (node, { operation }) => {
        const [step] = node.path;
        const { fields, finder } = callersIn(operation) ?? {};
        if (step?.kind !== 'name' || fields === undefined || fields.has(step.name)) return;
        const names = [...fields];
        report('unknown-caller-field', spanOfStep(node, step.name), {
          ...{ name: step.name, operation: operation.name.value, names, finder },
          ...{ nearest: nearest(step.name, names), within: operation.name.span },
        });
      },
    };
  },
);

interface UnknownCallerField {
  readonly name: string;
  readonly operation: string;
  readonly names: readonly string[];
  readonly nearest: string | undefined;
  /** The operation that finds the caller, if any. */
  readonly finder: string | undefined;
  readonly within: Span;
}

/** The possible callers of an operation. */
interface Callers {
  /** The names of the authentications. */
  readonly names: readonly string[];
  /** The fields that at least one caller has; undefined if any field is possible. */
  readonly fields: ReadonlySet<string> | undefined;
  readonly finder: string | undefined;
}

/**
 * The possible callers of an operation; undefined if a caller is unknown, or if another operation or user code may call the operation for
 * someone else.
 */
function callersOf(operation: Operation, analysis: Analysis): Callers | undefined {
  const { config, types, called, beside } = analysis;
  const accepted = acceptedBy(operation, config) ?? [];
  const isOpen = called.has(operation.name.value) || beside.hasOwnRoutes === true;
  if (operation.endpoint === undefined || accepted.length === 0 || isOpen) return undefined;
  const authentications = accepted.flatMap(({ value }) => authenticationOf(value, config) ?? []);
  if (authentications.length < accepted.length) return undefined;
  const own = authentications.map((one) => fieldsOf(one, types));
  const all = own.every((fields) => fields !== undefined) ? new Set(own.flat()) : undefined;
  return {
    names: authentications.map(({ name }) => name.value),
    fields: all && new Set(['authentication', ...all]),
    finder: authentications.map((one) => finderOf(one)?.value).find((name) => name !== undefined),
  };
}

/** The authentication of that name; undefined for an unknown name or type, which has been reported. */
function authenticationOf(name: string, { authentications }: Config): KnownAuthentication | undefined {
  const found = authentications.find((one) => one.name.value === name);
  return found?.type === undefined ? undefined : found;
}

/** The caller fields provided by the authentication; undefined if any field is possible. */
function fieldsOf(authentication: KnownAuthentication, types: ServiceTypes): readonly string[] | undefined {
  switch (authentication.type) {
    case 'signature':
      return ['sub', 'id', 'timestamp'];
    case 'basicauth':
    case 'apikey': {
      const { operation } = authentication;
      if (operation === undefined) return ['sub'];
      const fields = knownFields(types.responseType(operation.value));
      return fields?.filter((field) => field !== 'passwordHash' || authentication.type !== 'basicauth');
    }
    case 'jwt': {
      const { operation } = authentication;
      return operation && knownFields(types.responseType(operation.value));
    }
    case 'custom':
      return undefined;
  }
}

function isNameOfAuthentication(node: Expression): boolean {
  if (node.kind !== 'caller') return false;
  const [step, ...others] = node.path;
  return step?.kind === 'name' && step.name === 'authentication' && others.length === 0;
}
