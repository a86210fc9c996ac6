/** Routes in src/app.ts that run operations for callers whom the operations would not accept, found in the source of user modules. */
import { posix } from 'node:path';
import { contextModule } from '../../generate/plan/requests/own-routes-plan.js';
import { acceptedBy } from '../../analyze/operations/authentications/accepted.js';
import { quotedList } from '../../read/diagnostics/quoted-list.js';
import type { Source } from '../../read/source.js';
import type { ServiceView, ViewedOperation } from '../explain/service-view.js';
import { nodesIn, treeOf, valueOf } from '../typescript/module-tree.js';
import { typescript, type ts as types } from '../typescript/load-typescript.js';
import type { Risk } from './risk.js';
import { changingSteps } from './what-changes.js';

const ts = typescript();

/** An authentication that a route or an operation accepts. */
interface Accepted {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly isOptional: boolean;
}

/** `path` starts with `src/`, relative to the service's folder; `shown` is the path in messages. */
export interface OwnSource extends Source {
  readonly shown: string;
}

/** One risk per call of `contextOf`, at the call, and one per use of `contextOf` that may lead to undetected calls. */
export function weakerRoutes(view: ServiceView, sources: readonly OwnSource[]): Risk[] {
  if (view.plan.authentications.length === 0) return [];
  return sources.flatMap((source) => {
    const file = treeOf(source);
    const imports = importsOfContext(file, source.path);
    return nodesIn(file).flatMap((node): Risk | [] => {
      const span = {
        source: { path: source.shown, text: source.text },
        start: node.getStart(),
        end: node.getEnd(),
      };
      if (isCallOfContextOf(node, imports)) return riskOf(node, view, span) ?? [];
      return isPassedOn(node, imports, source.path) ? passedOn(span) : [];
    });
  });
}

function passedOn(span: Risk['span']): Risk {
  return {
    ...{ rule: 'weaker-route', severity: 'low', span },
    message:
      'contextOf is passed on here, so its calls and the authentications of their routes cannot be checked.',
    hint: "Call contextOf where it is imported from './context.js', or make sure that each call accepts only callers that its operations accept.",
  };
}

function riskOf(call: types.CallExpression, view: ServiceView, span: Risk['span']): Risk | undefined {
  // Each call is admitted by the list of its operation.
  if (isOfEach(call)) return undefined;
  const accepted = acceptedByRoute(call, view);
  // If operations without a list accept nobody, so does a call without a list.
  if (accepted === undefined) return undefined;
  const run = operationsOf(call);
  const reached = view.operations.filter(({ plan }) => run === 'all' || run.has(plan.functionName));
  const weaker = reached.filter(({ plan: { name } }) => {
    const own = view.plan.access.get(name) ?? [];
    return own.length > 0 && (accepted === 'unknown' || !accepted.every((one) => isAcceptedBy(own, one)));
  });
  const [first] = weaker;
  if (first === undefined) return undefined;
  const list = quotedList(weaker.slice(0, 5).map(({ plan }) => plan.name));
  const all = weaker.length > 5 ? `${list} and ${weaker.length - 5} more` : list;
  const needed = ownList(view, first);
  if (accepted === 'unknown')
    return {
      ...{ rule: 'weaker-route', severity: 'low', span },
      message: `This route can run ${all}, but its authentications are not written here.`,
      hint: `Make sure that they match those of each operation that it runs, for example ${needed} for '${first.plan.name}'.`,
    };
  const isWriting = weaker.some((operation) => changingSteps(operation, view).length > 0);
  return {
    ...{ rule: 'weaker-route', severity: isWriting ? 'high' : 'low', span },
    message: `This route can run ${all} for callers that ${weaker.length === 1 ? 'this operation does' : 'these operations do'} not accept${isWriting ? ', and so change something' : ''}: credentials and scopes are not checked when code calls an operation.`,
    hint: `Call contextOf(request, { authentications: ${needed} }), as '${first.plan.name}' does, before it runs, or contextOf(request, { each: true }).`,
  };
}

/** Whether the call is `contextOf(request, { each: true })`. */
function isOfEach(call: types.CallExpression): boolean {
  const options = call.arguments[1] === undefined ? undefined : valueOf(call.arguments[1]);
  if (options === undefined || !ts.isObjectLiteralExpression(options)) return false;
  // A spread after it may replace it.
  if (options.properties.some((one) => ts.isSpreadAssignment(one))) return false;
  const each = propertyOf(options, 'each');
  return each !== undefined && valueOf(each).kind === ts.SyntaxKind.TrueKeyword;
}

/** Whether callers accepted by one entry of a route's list may call an operation with the given list. */
function isAcceptedBy(operation: readonly Accepted[], route: Accepted): boolean {
  const isOpen = operation.some(({ isOptional }) => isOptional);
  if (route.isOptional && !isOpen) return false;
  return operation.some(
    ({ name, scopes }) => name === route.name && scopes.every((scope) => route.scopes.includes(scope)),
  );
}

/** Callers without credentials. */
const everybody: Accepted = { name: '', scopes: [], isOptional: true };

function acceptedByRoute(
  call: types.CallExpression,
  { analysis: { config } }: ServiceView,
): readonly Accepted[] | 'unknown' | undefined {
  const options = call.arguments[1] === undefined ? undefined : valueOf(call.arguments[1]);
  if (options !== undefined && !ts.isObjectLiteralExpression(options)) return 'unknown';
  if (options?.properties.some((one) => ts.isSpreadAssignment(one)) === true) return 'unknown';
  const list = options && propertyOf(options, 'authentications');
  if (list === undefined)
    return acceptedBy({ authentications: undefined }, config)?.map(({ value }) => ({
      ...{ name: value, scopes: [], isOptional: false },
    }));
  const array = valueOf(list);
  if (!ts.isArrayLiteralExpression(array)) return 'unknown';
  const accepted = array.elements.map((element) => entryOf(valueOf(element)));
  const known = accepted.flatMap((one) => one ?? []);
  if (known.length < accepted.length) return 'unknown';
  return known.length === 0 ? [everybody] : known;
}

/** Undefined unless the entry consists of constants. */
function entryOf(element: types.Expression): Accepted | undefined {
  if (ts.isStringLiteralLike(element)) return { name: element.text, scopes: [], isOptional: false };
  if (!ts.isObjectLiteralExpression(element)) return undefined;
  const name = propertyOf(element, 'name');
  const scopes = propertyOf(element, 'scopes');
  const optional = propertyOf(element, 'optional');
  const list = scopes && valueOf(scopes);
  if (name === undefined || !ts.isStringLiteralLike(name)) return undefined;
  if (list !== undefined && !ts.isArrayLiteralExpression(list)) return undefined;
  // A scope that is not a constant is not certain to be required, so it is ignored.
  const texts = (list?.elements ?? []).flatMap((one) => (ts.isStringLiteralLike(one) ? [one.text] : []));
  const isOptional = optional !== undefined && optional.kind !== ts.SyntaxKind.FalseKeyword;
  return { name: name.text, scopes: texts, isOptional };
}

function propertyOf(object: types.ObjectLiteralExpression, name: string): types.Expression | undefined {
  for (const property of object.properties) {
    if (property.name === undefined || property.name.getText().replaceAll(/['"]/g, '') !== name) continue;
    if (ts.isPropertyAssignment(property)) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property)) return property.name;
  }
  return undefined;
}

/** Local names of `contextOf` in a module, and of namespace imports that contain it. */
interface ContextImports {
  readonly functions: ReadonlySet<string>;
  readonly modules: ReadonlySet<string>;
}

function importsOfContext(file: types.SourceFile, path: string): ContextImports {
  const functions = new Set<string>();
  const modules = new Set<string>();
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) || !isContextModule(statement.moduleSpecifier, path)) continue;
    const bindings = statement.importClause?.namedBindings;
    if (bindings === undefined) continue;
    if (ts.isNamespaceImport(bindings)) modules.add(bindings.name.text);
    else
      for (const { propertyName, name, isTypeOnly } of bindings.elements)
        if (!isTypeOnly && (propertyName ?? name).text === 'contextOf') functions.add(name.text);
  }
  return { functions, modules };
}

function isContextModule(specifier: types.Node | undefined, path: string): boolean {
  if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return false;
  const { text } = specifier;
  const module = text.startsWith('.') ? posix.join(posix.dirname(path), text) : text;
  return module.replace(/\.[jt]s$/, '') === contextModule;
}

function isCallOfContextOf(node: types.Node, imports: ContextImports): node is types.CallExpression {
  return ts.isCallExpression(node) && isContextOf(node.expression, imports);
}

function isContextOf(called: types.Expression, imports: ContextImports): boolean {
  if (ts.isParenthesizedExpression(called)) return isContextOf(called.expression, imports);
  if (ts.isIdentifier(called)) return imports.functions.has(called.text);
  return (
    ts.isPropertyAccessExpression(called) &&
    called.name.text === 'contextOf' &&
    imports.modules.has(called.expression.getText())
  );
}

/** Whether `contextOf` or its module is used other than by calling it: exported, renamed, passed to a function, or imported dynamically. */
function isPassedOn(node: types.Node, imports: ContextImports, path: string): boolean {
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return isContextModule(node.arguments[0], path);
  if (ts.isExportDeclaration(node))
    return isContextModule(node.moduleSpecifier, path) && exportsContextOf(node);
  if (!ts.isIdentifier(node)) return false;
  const { parent } = node;
  const isName =
    ts.isImportSpecifier(parent) ||
    ts.isNamespaceImport(parent) ||
    ts.isTypeQueryNode(parent) ||
    ts.isQualifiedName(parent) ||
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node);
  if (isName) return false;
  if (imports.functions.has(node.text)) return !isCalled(node, imports);
  if (!imports.modules.has(node.text)) return false;
  if (!ts.isPropertyAccessExpression(parent)) return true;
  return parent.name.text === 'contextOf' && !isCalled(parent, imports);
}

function isCalled(expression: types.Node, imports: ContextImports): boolean {
  const { parent } = expression;
  if (ts.isParenthesizedExpression(parent)) return isCalled(parent, imports);
  return isCallOfContextOf(parent, imports) && parent.expression === expression;
}

function exportsContextOf({ exportClause, isTypeOnly }: types.ExportDeclaration): boolean {
  if (isTypeOnly) return false;
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return true;
  return exportClause.elements.some(({ propertyName, name }) => (propertyName ?? name).text === 'contextOf');
}

/** The operations named by the function that contains the call; all if the operations are passed on. */
function operationsOf(call: types.CallExpression): ReadonlySet<string> | 'all' {
  const around = functionAround(call);
  const result = call.parent;
  const value = ts.isAwaitExpression(result) ? result.parent : result;
  const isRead =
    (ts.isVariableDeclaration(value) &&
      (ts.isObjectBindingPattern(value.name) || isOnlyRead(value.name, around))) ||
    (ts.isParenthesizedExpression(value) && ts.isPropertyAccessExpression(value.parent));
  // Code that receives the context may run any operation.
  if (!isRead) return 'all';
  const names = new Set<string>();
  let areAll = false;
  for (const node of nodesIn(around)) {
    if (!ts.isIdentifier(node) || node.text !== 'operations') continue;
    const used = usedThere(node);
    if (used === 'all') areAll = true;
    else for (const name of used) names.add(name);
  }
  return areAll ? 'all' : names;
}

/** Whether the variable is only used to access its properties. */
function isOnlyRead(name: types.BindingName, around: types.Node): boolean {
  if (!ts.isIdentifier(name)) return false;
  return nodesIn(around).every(
    (node) =>
      !ts.isIdentifier(node) ||
      node.text !== name.text ||
      node === name ||
      (ts.isPropertyAccessExpression(node.parent) && node.parent.expression === node),
  );
}

/** The operations that a use of `operations` can run. */
function usedThere(node: types.Identifier): readonly string[] | 'all' {
  const { parent } = node;
  if (ts.isBindingElement(parent)) {
    // `{ operations }` is followed by further uses; `{ operations: { getOrders } }` lists them; a renamed binding may run any operation.
    if (parent.propertyName === undefined) return [];
    return ts.isObjectBindingPattern(parent.name) ? boundBy(parent.name) : 'all';
  }
  const whole = ts.isPropertyAccessExpression(parent) && parent.name === node ? parent : node;
  const { parent: reader } = whole;
  if (ts.isPropertyAccessExpression(reader) && reader.expression === whole) return [reader.name.text];
  if (ts.isElementAccessExpression(reader) && ts.isStringLiteralLike(reader.argumentExpression))
    return [reader.argumentExpression.text];
  if (
    ts.isVariableDeclaration(reader) &&
    reader.initializer === whole &&
    ts.isObjectBindingPattern(reader.name)
  )
    return boundBy(reader.name);
  return 'all';
}

function boundBy({ elements }: types.ObjectBindingPattern): readonly string[] | 'all' {
  if (elements.some(({ dotDotDotToken }) => dotDotDotToken !== undefined)) return 'all';
  return elements.map(({ propertyName, name }) => (propertyName ?? name).getText());
}

function functionAround(node: types.Node): types.Node {
  return ts.isFunctionLike(node) || ts.isSourceFile(node) ? node : functionAround(node.parent);
}

/** The operation's authentications, formatted as an argument of `contextOf`: `['users', { name: 'keys', optional: true }]`. */
function ownList({ plan: { access } }: ServiceView, { plan: { name } }: ViewedOperation): string {
  const entries = (access.get(name) ?? []).map((one) => {
    const scopes =
      one.scopes.length === 0 ? '' : `, scopes: [${one.scopes.map((scope) => `'${scope}'`).join(', ')}]`;
    const optional = one.isOptional ? ', optional: true' : '';
    return scopes === '' && optional === '' ? `'${one.name}'` : `{ name: '${one.name}'${scopes}${optional} }`;
  });
  return `[${entries.join(', ')}]`;
}
