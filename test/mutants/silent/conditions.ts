/** Conditions that have the same value in every call, or are repeated. */
import { instructionsOf, textsOf, type Config, type Fulfillment } from './configuration.js';
import { fulfillmentsOf, isOfDatabase, isRead, matches, type Edit, type ErrorClass } from './edit.js';

/** Replaces the condition of the first exception of each database READ in Syntax A. */
function firstException(config: Config, condition: (name: string) => string): Edit[] {
  return fulfillmentsOf(config, ({ fulfillment, isB }) => !isB && isRead(fulfillment))
    .filter(({ fulfillment }) => isOfDatabase(config, fulfillment))
    .flatMap(({ fulfillment }) =>
      (fulfillment.exceptions ?? []).slice(0, 1).map((exception) => () => {
        exception.if = condition(fulfillment.name);
      }),
    );
}

/** Changes each comparison that makes up a whole condition. */
function comparisons(
  config: Config,
  change: (left: string, operator: string, right: string) => string | undefined,
): Edit[] {
  const pattern = /^((?:(?!&&|\|\|)[^=!<>])+) (==|!=|<=|>=|<|>) ((?:(?!&&|\|\|)[^=!<>])+)$/g;
  return matches(config, ['condition'], pattern, ([, left = '', operator = '', right = '']) =>
    change(left, operator, right),
  );
}

/** Repeats the first condition of the instructions. */
function sameIf(fulfillment: Fulfillment): Edit[] {
  const [first, second] = instructionsOf(fulfillment);
  const condition = first?.if;
  if (condition === undefined || second === undefined) return [];
  return [
    () => {
      second.if = condition;
    },
  ];
}

export const conditionClasses: readonly ErrorClass[] = [
  {
    name: 'the same if twice',
    edits: (config) => fulfillmentsOf(config, () => true).flatMap(({ fulfillment }) => sameIf(fulfillment)),
  },
  {
    name: 'the same exception twice',
    edits: (config) =>
      fulfillmentsOf(config, () => true).flatMap(({ fulfillment: { exceptions = [] } }) =>
        exceptions.map((exception, at) => () => {
          exceptions.splice(at + 1, 0, { ...exception });
        }),
      ),
  },
  {
    name: "response with another one's if",
    edits: (config) =>
      Object.values(config.operations).flatMap(({ responses = [] }) =>
        responses
          // A function of user code may return something else when it is called again.
          .filter(({ if: condition }) => condition !== undefined && !/\bcode\(/i.test(condition))
          .map((response) => () => {
            responses.splice(responses.indexOf(response) + 1, 0, {
              ...response,
              name: 'again',
              statuscode: 299,
            });
          }),
      ),
  },
  {
    name: 'comparison that never holds: SIZE(…) < INTEGER(0)',
    edits: (config) => firstException(config, (name) => `SIZE(VALUE(${name}, $)) < INTEGER(0)`),
  },
  {
    name: 'comparison that always holds: SIZE(…) >= INTEGER(0)',
    edits: (config) => firstException(config, (name) => `SIZE(VALUE(${name}, $)) >= INTEGER(0)`),
  },
  {
    name: 'SIZE against a text',
    edits: (config) => firstException(config, (name) => `SIZE(VALUE(${name}, $)) == TEXT(none)`),
  },
  {
    name: 'order of null: PARAM(x) > NULL()',
    edits: (config) =>
      comparisons(config, (left, _, right) =>
        right === 'NULL()' || right === 'null' ? `${left} > ${right}` : undefined,
      ),
  },
  {
    name: 'list against a number',
    edits: (config) => firstException(config, (name) => `VALUE(${name}, $) == INTEGER(0)`),
  },
  {
    name: 'bare number as condition',
    edits: (config) => firstException(config, (name) => `SIZE(VALUE(${name}, $))`),
  },
  {
    name: 'bare list as condition',
    edits: (config) => firstException(config, (name) => `VALUE(${name}, $)`),
  },
  {
    name: 'constant condition',
    edits: (config) =>
      textsOf(config)
        .filter(({ kind }) => kind === 'condition')
        .map((text) => () => {
          text.set(text.isB ? 'false' : 'BOOLEAN(false)');
        }),
  },
  { name: 'both sides the same', edits: (config) => comparisons(config, (left) => `${left} != ${left}`) },
  {
    name: 'a && a',
    edits: (config) =>
      comparisons(
        config,
        (left, operator, right) => `${left} ${operator} ${right} && ${left} ${operator} ${right}`,
      ),
  },
  {
    name: 'a == x && a == y',
    edits: (config) =>
      comparisons(config, (left, operator, right) =>
        operator === '==' && /^(?:TEXT|INTEGER)\(|^'/.test(right)
          ? `${left} == ${right} && ${left} == ${right.replace(/^'|(?<=^\w+\()/, (quote) => `${quote}7`)}`
          : undefined,
      ),
  },
  {
    name: 'constant loopbreak',
    edits: (config) =>
      fulfillmentsOf(config, ({ fulfillment }) => fulfillment.loopbreak !== undefined).map(
        ({ fulfillment }) =>
          () => {
            fulfillment.loopbreak = 'BOOLEAN(true)';
          },
      ),
  },
];
