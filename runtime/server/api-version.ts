/** The version of the API between generated code and the runtime: another one where code of before would not run, or would mean something else. */
export const apiVersion = 1;
