/**
 * The API version shared by generated code and the runtime. Raised whenever code generated for the previous version would no longer
 * run, or would behave differently.
 */
export const apiVersion = 1;
