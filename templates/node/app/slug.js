/** A title as a part of an address: `Ärger & Spaß, part 2` becomes `arger-spass-part-2`. */

/** @param {string} title */
export function slugOf(title) {
  const letters = title.toLowerCase().replaceAll('ß', 'ss').normalize('NFKD').replace(/\p{M}/gu, '')
  return letters.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
}
