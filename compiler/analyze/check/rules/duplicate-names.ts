/** Checks names: duplicates, and names that already have another meaning. */
import {
  secondSettingsOf,
  settingsOfAuthentication,
  settingsOfDatasource,
} from '../../operations/resource-settings.js';
import { upperSnake } from '../../../../runtime/server/environment-reference.js';
import { asThirdParty, headersOf, type Fulfillment } from '../../../read/config/config-model.js';
import {
  error,
  firstDefinedAt,
  warning,
  type Entry,
} from '../../../read/diagnostics/catalogue/entry-messages.js';
import { hidesWord, isReadableName, isReservedName } from '../../../read/expression/notation.js';
import type { Span, WithSpan } from '../../../read/source.js';
import { rule } from '../rule.js';

function duplicate(kind: string): Entry<[{ name: string; first: Span }]> {
  return error({ name: 'text' }, (p) => ({
    message: `Duplicate ${kind} '${p.name}'.`,
    hint: 'Rename one of them.',
    related: firstDefinedAt(p.first),
  }));
}

/** Reports duplicate names of fulfillments, responses or triggers in an operation. */
export const duplicateFulfillment = rule(
  {
    'duplicate-fulfillment': duplicate('fulfillment'),
    'duplicate-response': duplicate('response'),
    'duplicate-trigger': duplicate('trigger'),
  },
  ({ report }) => ({
    operation: ({ fulfillments, responses, triggers }) => {
      for (const { value: name, span, first } of repeatedFulfillments(fulfillments))
        report('duplicate-fulfillment', span, { name, first });
      for (const { value: name, span, first } of repeatedNames(responses))
        report('duplicate-response', span, { name, first });
      for (const { value: name, span, first } of repeatedNames(triggers))
        report('duplicate-trigger', span, { name, first });
    },
  }),
);

/**
 * Finds ambiguous fulfillment names. Fulfillments in separate loops (not nested) can share a name; VALUE_BY_INDEX reads a name from outside
 * the loops, so only one of them may have an index.
 */
function repeatedFulfillments(fulfillments: readonly Fulfillment[]): RepeatedName[] {
  const seen = new Map<string, { around: readonly Fulfillment[]; hasIndex: boolean; span: Span }[]>();
  const found: RepeatedName[] = [];
  const visit = (list: readonly Fulfillment[], around: readonly Fulfillment[]): void => {
    const loop = around.at(-1);
    for (const fulfillment of list) {
      const { name } = fulfillment;
      const hasIndex = fulfillment.index !== undefined;
      const others = seen.get(name.value) ?? [];
      const first = others.find((other) => {
        const otherLoop = other.around.at(-1);
        const isInside = loop === undefined || other.around.includes(loop);
        return (
          isInside || otherLoop === undefined || around.includes(otherLoop) || (hasIndex && other.hasIndex)
        );
      });
      if (first !== undefined && name.value !== '') found.push({ ...name, first: first.span });
      seen.set(name.value, [...others, { around, hasIndex, span: name.span }]);
      if (fulfillment.type === 'LOOP') visit(fulfillment.fulfillments, [...around, fulfillment]);
    }
  };
  visit(fulfillments, []);
  return found;
}

/** Reports fulfillment names that have another meaning in Syntax B. */
export const reservedName = rule(
  {
    'reserved-name': error({ name: 'text' }, (p: { name: string }) => ({
      message: `'${p.name}' is reserved in Syntax B.`,
      hint: `Write another name, such as '${p.name}_rows'.`,
    })),
  },
  ({ report }) => ({
    fulfillment: ({ name: { value: name, span } }, { operation }) => {
      if (isReservedName(name, operation.syntax)) report('reserved-name', span, { name });
    },
  }),
);

/** Reports fulfillment names that hide a word of Syntax B. */
export const hiddenWord = rule(
  {
    'hidden-word': warning({ name: 'text' }, (p: { name: string }) => ({
      message: `'${p.name}' is this fulfillment everywhere in the operation.`,
      hint: `${hiddenWords[p.name] ?? 'The word'} cannot be read there. To read both, write another name, such as '${p.name}_rows'.`,
    })),
  },
  ({ report }) => ({
    fulfillment: ({ name: { value: name, span } }, { operation }) => {
      if (hidesWord(name, operation.syntax)) report('hidden-word', span, { name });
    },
  }),
);

const hiddenWords: Readonly<Record<string, string>> = {
  header: 'A header of the request',
  query: 'A parameter of the query',
  cookie: 'A cookie',
  caller: 'The caller',
  error: 'The error of an exception',
};

/** Reports fulfillment names that expressions could not refer to. */
export const unnamedFulfillment = rule(
  {
    'unnamed-fulfillment': error({ name: 'text' }, (p: { name: string }) => ({
      message: `Invalid fulfillment name '${p.name}': expressions cannot read it.`,
      hint: "Use letters, digits, '_' and '-', beginning with a letter.",
    })),
  },
  ({ report }) => ({
    fulfillment: ({ name: { value: name, span } }, { operation }) => {
      if (name !== '' && !isReadableName(name, operation.syntax))
        report('unnamed-fulfillment', span, { name });
    },
  }),
);

/**
 * Reports names that result in the same environment variable: datasources, headers of a datasource, authentications, and keys of an
 * authentication.
 */
export const environmentCollision = rule(
  {
    'environment-collision': error(
      { name: 'text', other: 'text', variable: 'text' },
      (p: { name: string; other: string; variable: string; first: Span }) => ({
        message: `'${p.name}' and '${p.other}' have the same environment variable ${p.variable}.`,
        hint: 'Rename one of them.',
        related: firstDefinedAt(p.first),
      }),
    ),
  },
  ({ report }) => {
    const [datasources, authentications] = [
      new Map<string, WithSpan<string>>(),
      new Map<string, WithSpan<string>>(),
    ];
    const take = (name: WithSpan<string>, prefix: string, taken: Map<string, WithSpan<string>>): void => {
      const variable = upperSnake(name.value);
      const other = taken.get(variable);
      if (other === undefined) taken.set(variable, name);
      else
        report('environment-collision', name.span, {
          ...{ name: name.value, other: other.value, variable: prefix + variable },
          first: other.span,
        });
    };
    // Compares complete variable names: `DATASOURCE_SHOP_REPLICA_URL` belongs to both `shop` and `shop-replica`.
    const variables = new Map<string, WithSpan<string>>();
    /** Returns whether one of the variables has another owner. */
    const own = (name: WithSpan<string>, prefix: string, fields: readonly string[]): boolean => {
      let isTaken = false;
      for (const field of new Set(fields)) {
        const variable = `${prefix}${upperSnake(name.value)}_${field}`;
        const other = variables.get(variable);
        if (other === undefined) variables.set(variable, name);
        // Names that are one name in the environment have been reported.
        else if (upperSnake(other.value) !== upperSnake(name.value)) {
          isTaken = true;
          report('environment-collision', name.span, {
            ...{ name: name.value, other: other.value, variable, first: other.span },
          });
        }
      }
      return isTaken;
    };
    return {
      datasource: (datasource) => {
        const { name, type } = datasource;
        const header = headersOf(datasource);
        const oauth2 = asThirdParty(datasource)?.oauth2;
        take(name, 'DATASOURCE_', datasources);
        own(name, 'DATASOURCE_', [
          ...settingsOfDatasource(datasource)
            .filter(({ text, suffix }) => text !== undefined || suffix.startsWith('OAUTH2_'))
            .map(({ suffix }) => suffix),
          ...(type === 'db' ? ['REPLICA_URL'] : []),
        ]);
        // Duplicate headers have their own diagnostic.
        const byName = new Map(header.map((field) => [field.name.value.toLowerCase(), field.name]));
        const headers = new Map<string, WithSpan<string>>();
        for (const field of byName.values())
          take(field, `DATASOURCE_${upperSnake(name.value)}_HEADER_`, headers);
        const parameters = new Map<string, WithSpan<string>>();
        for (const field of oauth2?.parameters ?? [])
          take(field.name, `DATASOURCE_${upperSnake(name.value)}_OAUTH2_PARAMETERS_`, parameters);
      },
      authentication: (authentication) => {
        const { name } = authentication;
        take(name, 'AUTHENTICATION_', authentications);
        const settings = settingsOfAuthentication(authentication).filter(({ text }) => text !== undefined);
        const isTaken = own(
          name,
          'AUTHENTICATION_',
          settings.map(({ suffix }) => suffix),
        );
        if (!isTaken) own(name, 'AUTHENTICATION_', secondSettingsOf(authentication));
        const names = new Map<string, WithSpan<string>>();
        if (authentication.type === 'apikey')
          for (const key of authentication.keys)
            take(key.name, `AUTHENTICATION_${upperSnake(name.value)}_KEY_`, names);
      },
    };
  },
);

/** A repeated name; `first` is the position of the first use. */
interface RepeatedName extends WithSpan<string> {
  readonly first: Span;
}

/** The second and later uses of each name; missing names have already been reported. */
function repeatedNames(list: readonly { readonly name: WithSpan<string> }[]): RepeatedName[] {
  const seen = new Map<string, Span>();
  return list.flatMap(({ name }) => {
    const first = seen.get(name.value);
    if (first === undefined) seen.set(name.value, name.span);
    return first === undefined || name.value === '' ? [] : [{ ...name, first }];
  });
}
