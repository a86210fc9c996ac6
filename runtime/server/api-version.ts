/**
 * The version of the API between generated code and the runtime. It changes whenever code generated for the version before would not run,
 * or would have another meaning.
 */
export const apiVersion = 1;
