/** Which characters make a name. */

const colon = 58

const parts = new Uint8Array(128)
for (const character of 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_')
  parts[character.charCodeAt(0)] = 1
for (const character of '0123456789') parts[character.charCodeAt(0)] = 2

/** The colon is for names of metrics, not of labels. */
export const isNameInitial = (code: number, mayBeColon: boolean): boolean =>
  (code < 128 && parts[code] === 1) || (mayBeColon && code === colon)

export const isNamePart = (code: number, mayBeColon: boolean): boolean =>
  (code < 128 && parts[code] !== 0) || (mayBeColon && code === colon)
