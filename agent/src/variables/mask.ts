/** Secrets of a project never get into a log, an error or a message: what looks like one is replaced. */

/** A shorter line of a longer secret would be found everywhere. */
const shortest = 4

export type Mask = (text: string) => string

export const noMask: Mask = text => text

/** The longest first, so that nothing is left of one that holds another. */
export function maskOf(secrets: Iterable<string>): Mask {
  const forms = [...new Set([...secrets].flatMap(formsOf))].sort((a, b) => b.length - a.length)
  if (forms.length === 0) return noMask
  return text => forms.reduce((masked, form) => masked.replaceAll(form, () => '***'), text)
}

/** As it is, line by line, and as programs write it into JSON, addresses and headers. */
function formsOf(secret: string): string[] {
  const lines = secret.split('\n').map(line => line.trim())
  const whole = [secret, ...lines]
  return [
    ...whole,
    ...whole.map(text => JSON.stringify(text).slice(1, -1)),
    ...whole.map(asInAddress),
    Buffer.from(secret).toString('base64'),
  ].filter(form => form.length >= shortest)
}

/** Half of a pair of surrogates has no such form. */
function asInAddress(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : text
}
