/** Text from outside, made fit to be shown to people: whoever writes a label decides neither the look nor the order of a message. */
import { maskSecrets } from '@quarterdeck/contract'

/**
 * Control characters, and those that are not seen: zero-width ones, and those that turn the direction of what follows,
 * by which a text can seem to say something else than it does. https://www.unicode.org/reports/tr36/
 */
const unseen =
  /[\p{Cc}\p{Zl}\p{Zp}\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]+/gu

/** One line of at most so many characters, without secrets. */
export function clean(text: string, longest: number): string {
  // Cut first: what is cut off is not looked through.
  const short = text.length > longest * 4 ? text.slice(0, longest * 4) : text
  const line = maskSecrets(short.toWellFormed())
    .replace(/[\r\n\t]+/g, ' ')
    .replace(unseen, '')
    .trim()
  return line.length <= longest
    ? line
    : `${line
        .slice(0, longest - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`
}

/** A link that may be shown: http or https, and nothing that could be more than an address. */
export function cleanLink(text: string | null | undefined): string | null {
  if (!text || text.length > 2000 || !URL.canParse(text)) return null
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null
  url.username = ''
  url.password = ''
  return maskSecrets(url.href)
}
