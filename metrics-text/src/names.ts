/** Which characters make a name. */

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_'
const digits = '0123456789'

/** One entry for every code that a string can have, so that none lies outside. */
const table = (characters: string): Uint8Array => {
  const entries = new Uint8Array(0x10000)
  for (const character of characters) entries[character.charCodeAt(0)] = 1
  return entries
}

const labelInitials = table(letters)
const labelParts = table(letters + digits)
/** The colon is for names of metrics, not of labels. */
const metricInitials = table(`${letters}:`)
const metricParts = table(`${letters}${digits}:`)

/** Where the name that starts here ends; the same place where none does. */
export const passLabelName = (text: string, start: number): number =>
  labelInitials[text.charCodeAt(start)] === 1 ? passParts(text, start + 1, labelParts) : start

export const passMetricName = (text: string, start: number): number =>
  metricInitials[text.charCodeAt(start)] === 1 ? passParts(text, start + 1, metricParts) : start

function passParts(text: string, start: number, parts: Uint8Array): number {
  let at = start
  while (parts[text.charCodeAt(at)] === 1) at++
  return at
}
