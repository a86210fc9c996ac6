/** Checks datasources: URLs, logins, and the context of statements. */
import { finderOf, acceptedBy } from '../../operations/authentications/accepted.js';
import { parseBaseUrl } from '../../../../runtime/rest/base-url.js';
import { problemOfTokenUrl } from '../../../../runtime/server/secure-address.js';
import { replaceReferences } from '../../../read/config/environment-reference.js';
import { asThirdParty, type Operation } from '../../../read/config/config-model.js';
import { allFulfillments, deferredIn } from '../../../read/config/walk.js';
import { error, warning } from '../../../read/diagnostics/catalogue/entry-messages.js';
import type { Expression } from '../../../read/expression/ast.js';
import { printExpression } from '../../../read/expression/print-expression.js';
import type { Span } from '../../../read/source.js';
import { settingChanges, type SettingChange } from '../../../read/sql/facts/setting-changes.js';
import { lastPart } from '../../../read/sql/facts/server-names.js';
import { withQueries } from '../../../read/sql/facts/table-names.js';
import type { SqlStatement } from '../../../read/sql/statement.js';
import type { Analysis } from '../../operations/analysis.js';
import { hasContext, isNullWithoutCaller } from '../../operations/statements/row-context.js';
import { everyLimit } from '../../operations/limits.js';
import { outboxOf } from '../../operations/outbox-of.js';
import { rule, ruleOfWhole } from '../rule.js';
import { nodesIn } from '../../../read/expression/visit.js';
import { words } from '../../../read/diagnostics/marks.js';

/** Reports datasources that no fulfillment uses: the service would still require their settings and open a pool. */
export const unreadDatasource = ruleOfWhole(
  {
    'unread-datasource': warning({ name: 'text' }, (p: { name: string }) => ({
      message: `No fulfillment uses the datasource '${p.name}'.`,
      hint: 'Remove it: the service needs the settings of every datasource.',
    })),
  },
  ({ analysis, report, hasErrors }) => ({
    end: () => {
      if (hasErrors()) return;
      const used = new Set(
        analysis.operations
          .flatMap(({ fulfillments }) => fulfillments)
          .map(({ fulfillment }) => ('datasource' in fulfillment ? fulfillment.datasource.value : undefined)),
      );
      for (const datasource of analysis.config.datasources) used.add(asThirdParty(datasource)?.outbox?.value);
      for (const deferred of deferredIn(analysis.config.operations.flatMap((one) => one.fulfillments)))
        used.add(outboxOf(deferred, analysis.config)?.name.value);
      for (const { store } of everyLimit(analysis.config)) used.add(store?.value);
      // SCHEDULE_LEDGER can name any database, and user code can access all of them.
      const isTimed = analysis.config.operations.some(({ triggers }) => triggers.length > 0);
      const hasCode = analysis.operations.some(({ fulfillments }) =>
        fulfillments.some(({ fulfillment }) => fulfillment.type === 'CODE'),
      );
      for (const { name, type } of analysis.config.datasources) {
        const isAtHand = (isTimed || hasCode) && type === 'db';
        if (!used.has(name.value) && !isAtHand) report('unread-datasource', name.span, { name: name.value });
      }
    },
  }),
);

/** Reports database URLs without a database name. */
export const urlWithoutDatabase = ruleOfWhole(
  {
    'url-without-database': warning({}, (p: { isPostgres: boolean }) => ({
      message: p.isPostgres
        ? 'This URL does not name a database, so PostgreSQL uses the database with the name of the user.'
        : 'This URL does not name a database, so tables are not found.',
      hint: 'Write the database after the host: jdbc:…://host:port/database.',
    })),
  },
  ({ analysis, report }) => {
    const unqualified = new Set<string>();
    return {
      statement: (statement, { fulfillment }) => {
        const name = fulfillment.datasource.value;
        if (!unqualified.has(name) && hasUnqualifiedTable(statement)) unqualified.add(name);
      },
      end: () => {
        for (const { name, type, dialect, url } of analysis.config.datasources) {
          if (type !== 'db' || dialect === undefined || url === undefined) continue;
          if (!/^jdbc:\w+:(?:\w+:)?\/\/(?:\$\{[^{}]*\}|[^/?${}])+\/(?:\?.*)?$/.test(url.value.trim()))
            continue;
          // On MySQL, table names can be qualified with the database instead.
          if (dialect === 'mysql' && !unqualified.has(name.value)) continue;
          report('url-without-database', url.span, { isPostgres: dialect === 'postgresql' });
        }
      },
    };
  },
);

/** Whether a table name is not qualified with a database. */
function hasUnqualifiedTable({ pieces: { tree } }: SqlStatement): boolean {
  const queries = withQueries(tree);
  return tree.nodes.some((node) => {
    const name = node.kind === 'table' && node.name.parts.length === 1 ? lastPart(tree, node.name) : 'dual';
    return name !== 'dual' && !queries.has(name);
  });
}

/** Checks the URL of a REST datasource, as far as it does not come from the environment. */
export const wrongBaseUrl = rule(
  {
    'wrong-base-url': error({ problem: 'sentence' }, (p: { problem: string }) => ({
      message: `This URL of a third-party API cannot be used: ${p.problem}.`,
      hint: 'For example: https://api.example.com/v1',
    })),
  },
  ({ report }) => ({
    datasource: ({ type, url }) => {
      if (type !== 'rest' || url === undefined || url.value.includes('${')) return;
      const base = parseBaseUrl(url.value);
      if (typeof base === 'string') report('wrong-base-url', url.span, { problem: base });
    },
  }),
);

/** Names of settings that PostgreSQL allows any user to set. */
const settingName = /^[A-Za-z_][\w$]*(?:\.[A-Za-z_][\w$]*)+$/;

/** Checks the context fields of a datasource. */
export const contextName = rule(
  {
    'context-name': error({ name: 'text' }, (p: { name: string }) => ({
      message: `'${p.name}' is not a valid name for a custom database setting.`,
      hint: 'Write a name with a dot, of letters, digits and _, such as app.tenant.',
    })),
    'context-value': error({ written: 'text' }, (p: { written: string }) => ({
      message: `${p.written} cannot be read in 'context'.`,
      hint: 'Write values of the caller and constants, such as CALLER($.tenant). Nothing else of a request may choose the rows.',
    })),
    'context-role': error(
      { written: 'text', problem: 'sentence' },
      (p: { written: string; problem: string }) => ({
        message: `The role '${p.written}' ${p.problem}.`,
        hint: 'Write the name of the role under which policies hold for the statements, such as app_user.',
      }),
    ),
    'context-dialect': error({ field: 'text' }, (p: { field: string }) => ({
      message: `'${p.field}' needs PostgreSQL: MySQL and MariaDB have no policies for rows.`,
      hint: 'Remove it, and compare a column with CALLER in each statement. apikiln audit --tenant <column> names the statements that do not.',
    })),
  },
  ({ report }) => ({
    datasource: (datasource) => {
      if (datasource.type !== 'db') return;
      const { dialect, context, role, fields } = datasource;
      if (dialect === 'mysql')
        for (const field of ['context', 'role']) {
          const span = fields.get(field);
          if (span !== undefined) report('context-dialect', span, { field });
        }
      for (const { name, value, syntax } of context) {
        if (!settingName.test(name.value)) report('context-name', name.span, { name: name.value });
        const wrong = value && firstForeign(value);
        if (wrong !== undefined)
          report('context-value', wrong.span, { written: printExpression(wrong, syntax) });
      }
      const problem = role && problemOfRole(role.value);
      if (role !== undefined && problem !== undefined)
        report('context-role', role.span, { written: role.value, problem });
    },
  }),
);

function problemOfRole(role: string): string | undefined {
  if (role.includes('${')) return 'is not a constant';
  return role === 'none' ? 'means the user itself' : undefined;
}

/** The first part that is neither constant nor from the caller. */
function firstForeign(value: Expression): Expression | undefined {
  return nodesIn(value).find(({ kind }) => !ofContext.has(kind));
}

const ofContext: ReadonlySet<Expression['kind']> = new Set([
  ...(['text', 'number', 'boolean', 'caller', 'coalesce', 'concat', 'length', 'lower', 'sha256'] as const),
]);

/** Reports statements that would end or change the context's settings. */
export const contextSetting = rule(
  {
    'context-setting': error(
      { name: 'text', kind: words('named', 'unknown') },
      ({ name, kind }: SettingChange) => ({
        message:
          kind === 'unknown'
            ? `${name} may change any setting: its name is not a constant.`
            : `${name} changes what the context of the datasource sets for the caller.`,
        hint:
          kind === 'unknown'
            ? "Write the name as a string: set_config('app.page', …, true)."
            : 'Remove it: the context is the same for all statements of a call.',
      }),
    ),
  },
  ({ analysis, report }) => ({
    statement: (statement, { fulfillment }) => {
      const datasource = analysis.datasource(fulfillment.datasource.value);
      if (datasource?.type !== 'db' || !hasContext(datasource)) return;
      const { text } = statement.pieces;
      const names = new Set(datasource.context.map(({ name }) => name.value.toLowerCase()));
      for (const { first, last, ...change } of settingChanges(statement, names))
        report('context-setting', text.spanOf(first.start, last.end), change);
    },
  }),
);

/** Reports operations that can run without a caller although a datasource requires one. */
export const contextOfNobody = rule(
  {
    'context-of-nobody': error(
      { datasource: 'text', reason: 'sentence' },
      (p: { datasource: string; reason: string }) => ({
        message: `The context of '${p.datasource}' needs a caller, and ${p.reason}.`,
        hint: 'Name the authentications of its callers, or use another datasource without context, whose role may do what this operation needs.',
        isOfOperation: true,
      }),
    ),
    'context-of-optional': warning(
      { datasource: 'text', operation: 'text' },
      (p: { datasource: string; operation: string }) => ({
        message: `The context of '${p.datasource}' needs a caller, and '${p.operation}' also accepts requests without credentials: they are refused with 403 here.`,
        hint: 'If some rows are for everybody, write COALESCE in the context: COALESCE(CALLER($.tenant), TEXT("")).',
        isOfOperation: true,
      }),
    ),
  },
  ({ analysis, report }) => ({
    end: () => {
      const reported = new Set<Span>();
      for (const { operation, reason, isOptional } of withoutCaller(analysis)) {
        for (const called of analysis.withCalled(operation))
          for (const { datasource, span } of needingCaller(called, analysis)) {
            if (reported.has(span)) continue;
            reported.add(span);
            if (isOptional)
              report('context-of-optional', span, { datasource, operation: operation.name.value });
            else report('context-of-nobody', span, { datasource, reason });
          }
      }
    },
  }),
);

/** The first use of a datasource whose context is null without a caller. */
function needingCaller(
  operation: Operation,
  analysis: Analysis,
): { readonly datasource: string; readonly span: Span }[] {
  return allFulfillments(operation.fulfillments).flatMap(({ fulfillment }) => {
    if (!('datasource' in fulfillment)) return [];
    const { value, span } = fulfillment.datasource;
    const datasource = analysis.datasource(value);
    return datasource?.type === 'db' && datasource.context.some(({ value: set }) => isNullWithoutCaller(set))
      ? [{ datasource: value, span }]
      : [];
  });
}

/** Reports token server URLs to which secrets must not be sent, as far as they do not come from the environment. */
export const wrongTokenUrl = rule(
  {
    'wrong-token-url': error({ problem: 'sentence' }, (p: { problem: string }) => ({
      message: `This tokenUrl ${p.problem}.`,
      hint: 'For example: https://id.example.com/oauth/token',
    })),
  },
  ({ report }) => ({
    datasource: (datasource) => {
      const url = asThirdParty(datasource)?.oauth2?.tokenUrl;
      if (url === undefined || url.value.includes('${')) return;
      const problem = problemOfTokenUrl(url.value);
      if (problem !== undefined) report('wrong-token-url', url.span, { problem });
    },
  }),
);

/** Reports two sources for the `Authorization` header. */
export const twoLogins = rule(
  {
    'two-logins': error({ name: 'text', what: 'sentence' }, (p: { name: string; what: string }) => ({
      message: `Datasource '${p.name}' logs in twice: with a token, and with ${p.what}.`,
      hint: 'Remove one of them. The account for the token server is clientId and clientSecret.',
    })),
  },
  ({ report }) => ({
    datasource: (datasource) => {
      if (datasource.type !== 'rest' || datasource.oauth2 === undefined) return;
      const { name, url, header, fields } = datasource;
      const authorization = header.find((field) => field.name.value.toLowerCase() === 'authorization');
      const field = ['user', 'password'].find((one) => fields.has(one));
      const found: readonly (readonly [span: Span | undefined, what: string])[] = [
        [field === undefined ? undefined : fields.get(field), `'${field ?? ''}'`],
        [hasAccount(url?.value) ? url?.span : undefined, "the account in its 'url'"],
        [authorization?.name.span, 'the header Authorization'],
      ];
      for (const [span, what] of found)
        if (span !== undefined) {
          report('two-logins', span, { name: name.value, what });
          return;
        }
    },
  }),
);

/** Whether a URL contains a user: `https://shop:secret@api.example.com`. */
function hasAccount(url: string | undefined): boolean {
  const written = replaceReferences(url ?? '', ({ fallback = '' }) => fallback || 'x');
  return URL.canParse(written) && new URL(written).username !== '';
}

interface StartWithoutCaller {
  readonly operation: Operation;
  /** The reason, as part of a sentence. */
  readonly reason: string;
  /** True if other callers of the operation are logged in. */
  readonly isOptional: boolean;
}

/** The operations in file order, but first those that never have a caller. */
function withoutCaller({ config }: Analysis): StartWithoutCaller[] {
  const finding = new Map(
    config.authentications.flatMap((authentication) => {
      // The operation that finds the caller of a token has its claims.
      const finder = authentication.type === 'jwt' ? undefined : finderOf(authentication);
      return finder === undefined ? [] : [[finder.value, authentication.name.value] as const];
    }),
  );
  const found = config.operations.flatMap((operation): StartWithoutCaller[] => {
    const name = operation.name.value;
    const of = (reason: string, isOptional = false) => ({ operation, reason, isOptional });
    const authentication = finding.get(name);
    if (authentication !== undefined) return [of(`'${name}' finds the caller of '${authentication}'`)];
    if (operation.triggers.length > 0) return [of(`'${name}' is timed`)];
    if (operation.endpoint === undefined) return [];
    const accepted = acceptedBy(operation, config);
    if (accepted?.length === 0) return [of(`'${name}' accepts no credentials`)];
    return accepted?.some((one) => one.isOptional) === true ? [of(`'${name}' is open`, true)] : [];
  });
  return found.sort((a, b) => Number(a.isOptional) - Number(b.isOptional));
}
