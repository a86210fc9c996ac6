/** Under Yarn's Plug'n'Play: a service in a temporary folder imports packages as if they had been linked into its node_modules. */

/** The data registered by the main thread; see compiler/tools/local/plug-and-play.ts. */
let linked;

export function initialize(data) {
  linked = data;
}

/** Modules of other folders are resolved as ever, by Plug'n'Play. */
export function resolve(specifier, context, next) {
  const { parentURL } = context;
  if (parentURL?.startsWith(linked.folder) !== true || /^(?:[./#]|[a-z]+:)/i.test(specifier))
    return next(specifier, context);
  const part = linked.runtime[specifier];
  if (part !== undefined) return next(part, context);
  const [scope, name] = specifier.split('/');
  const isOfTool = linked.packages.includes(scope.startsWith('@') ? `${scope}/${name}` : scope);
  return next(specifier, isOfTool ? { ...context, parentURL: linked.tool } : context);
}
