/** The content type of forms whose fields are encoded like a query. */

export const formType = 'application/x-www-form-urlencoded';

/** Whether a Content-Type header names this type. */
export function isForm(contentType: string | undefined): boolean {
  return (contentType?.split(';')[0] ?? '').trim().toLowerCase() === formType;
}
