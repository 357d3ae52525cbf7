/** Who asks: a person with a browser, or a program. */

/** True when the Accept header names HTML, which browsers do and programs do not. */
export const prefersHtml = (accept: string | undefined): boolean => accept?.includes('text/html') ?? false
