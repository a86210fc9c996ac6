/** The content type of forms whose fields are written like a query. */

export const formType = 'application/x-www-form-urlencoded';

/** Whether a header Content-Type names it. */
export function isForm(contentType: string | undefined): boolean {
  return (contentType?.split(';')[0] ?? '').trim().toLowerCase() === formType;
}
