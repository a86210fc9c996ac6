/** Checks calls between operations. */
import { finderOf } from '../../operations/authentications/accepted.js';
import type { Operation } from '../../../read/config/config-model.js';
import { referencesOf } from '../../../read/config/walk.js';
import { didYouMean, error, meantOr, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import { quotedList } from '../../../read/diagnostics/quoted-list.js';
import { isUnambiguous, nearest } from '../../../read/diagnostics/suggest.js';
import type { Span } from '../../../read/source.js';
import { rule, ruleOfWhole } from '../rule.js';

/** Reports references to an unknown operation. */
export const unknownOperation = ruleOfWhole(
  {
    'unknown-operation': error(
      { name: 'text', nearest: 'suggestion', names: 'text' },
      (p: { name: string; nearest: string | undefined; names: ReadonlySet<string> }) => ({
        message: `Unknown operation '${p.name}'.`,
        ...meantOr(
          p.nearest,
          `Add an operation '${p.name}'${p.names.size === 0 ? '' : `, or write an existing one: ${quotedList([...p.names].slice(0, 10))}${p.names.size > 10 ? ` and ${p.names.size - 10} more` : ''}`}.`,
        ),
        isSuggestion: !isUnambiguous(p.name, p.names),
        subject: p.name,
      }),
    ),
  },
  ({ analysis, report }) => ({
    fulfillment: (fulfillment, { operation }) => {
      if (fulfillment.type !== 'REFERENCE' && fulfillment.type !== 'DEFERRED') return;
      const { value: name, span } = fulfillment.operationName;
      if (name === '' || analysis.operation(name) !== undefined) return;
      const names = new Set(
        analysis.config.operations.flatMap((other) => (other === operation ? [] : [other.name.value])),
      );
      report('unknown-operation', span, { name, nearest: nearest(name, names), names });
    },
  }),
);

/** Reports references to an operation without a response. */
export const referenceWithoutResponse = rule(
  {
    'reference-without-response': error(
      { name: 'text' },
      (p: { name: string; hasResponses: boolean; call: Span }) => ({
        message: `Operation '${p.name}' has no default response, but other operations call it.`,
        hint: p.hasResponses
          ? "Write 'default: true' in one of its responses."
          : 'Add responses: [{ name: done, default: true, statuscode: 200 }], even if no value of it is used.',
        related: [{ span: p.call, message: 'called here' }],
      }),
    ),
  },
  ({ analysis, report }) => ({
    fulfillment: (fulfillment) => {
      if (fulfillment.type !== 'REFERENCE' && fulfillment.type !== 'DEFERRED') return;
      const { value: name, span: call } = fulfillment.operationName;
      const called = name === '' ? undefined : analysis.operation(name);
      // Endpoints, and operations that nothing starts, have a different diagnostic.
      if (called === undefined || called.endpoint !== undefined) return;
      const { fields, responses } = called;
      if (!fields.has('responses') && !fields.has('triggers')) return;
      if (responses.some((response) => response.default || !response.isDefaultKnown)) return;
      // All calls share the same cause.
      report('reference-without-response', fields.get('responses') ?? called.name.span, {
        ...{ name, call },
        hasResponses: responses.length > 0,
      });
    },
  }),
);

/** Reports operations that call each other in a cycle, once per cycle, at the call that closes it. */
export const referenceCycle = rule(
  {
    'reference-cycle': warning({ cycle: 'text' }, (p: { cycle: string }) => ({
      message: `Cyclic calls: ${p.cycle}.`,
      hint: "Make sure that an 'if' ends the cycle: beyond 32 nested calls the response is 500.",
    })),
  },
  ({ analysis, report }) => {
    const done = new Set<Operation>();
    const path: Operation[] = [];
    const follow = (operation: Operation): void => {
      path.push(operation);
      for (const { operationName } of referencesOf(operation)) {
        const called = operationName.value === '' ? undefined : analysis.operation(operationName.value);
        if (called === undefined) continue;
        const start = path.indexOf(called);
        if (start !== -1) {
          const cycle = [...path.slice(start), called].map(({ name }) => `'${name.value}'`).join(' → ');
          report('reference-cycle', operationName.span, { cycle });
        } else if (!done.has(called)) {
          follow(called);
        }
      }
      path.pop();
      done.add(operation);
    };
    return {
      operation: (operation) => {
        if (!done.has(operation)) follow(operation);
      },
    };
  },
);

/** Reports parameters of a reference that the called operation does not read. */
export const unreadArgument = rule(
  {
    'unread-argument': warning(
      { name: 'text', called: 'text', names: 'text', nearest: 'suggestion' },
      (p: { name: string; called: string; names: readonly string[]; nearest: string | undefined }) => ({
        message: `'${p.called}' does not read the parameter '${p.name}'.`,
        hint:
          didYouMean(p.nearest) ??
          (p.names.length === 0
            ? 'Remove it: the operation reads no parameters.'
            : `Remove it: the operation reads only ${quotedList(p.names)}.`),
      }),
    ),
  },
  ({ analysis, report, hasErrors }) => {
    /** The names read by PARAM, and `body` for BODY. */
    const read = new Map<Operation, Set<string>>();
    return {
      operation: (operation) => {
        read.set(operation, new Set());
      },
      param: ({ name }, { operation }) => {
        read.get(operation)?.add(name);
      },
      body: (_, { operation }) => {
        read.get(operation)?.add('body');
      },
      end: () => {
        if (hasErrors()) return;
        for (const { fulfillment } of analysis.operations.flatMap(({ fulfillments }) => fulfillments)) {
          if (fulfillment.type !== 'REFERENCE' && fulfillment.type !== 'DEFERRED') continue;
          const { operationName, parameters } = fulfillment;
          const called = analysis.operation(operationName.value);
          if (called === undefined) continue;
          const names = new Set(
            [...analysis.withCalled(called)].flatMap((one) => [...(read.get(one) ?? [])]),
          );
          const passed = parameters.map(({ name }) => name.value);
          const free = [...names].filter((name) => !passed.includes(name));
          for (const { name } of parameters) {
            if (names.has(name.value)) continue;
            report('unread-argument', name.span, {
              ...{ name: name.value, called: operationName.value, names: [...names] },
              nearest: nearest(name.value, free),
            });
          }
        }
      },
    };
  },
);

/** Reports operations that are started by neither a request nor a trigger nor a reference. */
export const operationNeverCalled = rule(
  {
    'operation-never-called': warning({ name: 'text' }, (p: { name: string }) => ({
      message: `Nothing starts or calls the operation '${p.name}'.`,
      hint: "Name it like an endpoint ('GET /path'), give it a trigger, or call it with a fulfillment of type reference.",
    })),
  },
  ({ analysis, report, hasErrors }) => ({
    end: () => {
      if (hasErrors() || analysis.beside.hasOwnRoutes === true) return;
      const { operations, authentications } = analysis.config;
      const findsCallers = new Set(authentications.map((one) => finderOf(one)?.value));
      for (const { name, endpoint, triggers } of operations) {
        const isStarted =
          endpoint !== undefined ||
          triggers.length > 0 ||
          analysis.called.has(name.value) ||
          findsCallers.has(name.value);
        if (!isStarted) report('operation-never-called', name.span, { name: name.value });
      }
    },
  }),
);
