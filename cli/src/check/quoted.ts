/** What a service said, fit for a line on a terminal: quoted, cut, and without characters that steer one. */

const maxCharacters = 100

export function quoted(text: string): string {
  const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters)}…` : text
  return JSON.stringify(cut).replace(/[\p{Cc}\p{Cf}]/gu, escaped)
}

const escaped = (character: string) => `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`
