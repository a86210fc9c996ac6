/** A clean environment for npm: variables needed on this machine, without settings of the npm that runs the tests. */
export const npmEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(process.env).flatMap(([name, value]) =>
    /^(?:PATH|HOME|https?_proxy|NODE_EXTRA_CA_CERTS|npm_config_\w+)$/i.test(name)
      ? [[name, value ?? '']]
      : [],
  ),
);
