/** Keeps credentials out of whatever is written: logs, messages, events. */
import { tokenKinds } from './token.ts'

const tokens = new RegExp(`qd_(${[...tokenKinds, 'hook'].join('|')})_[A-Za-z0-9_-]{8,}`, 'g')
/** GitHub's own. */
const forgeTokens = /\b(gh[a-z]_|github_pat_)\w{8,}/g
/** Of a bot: its number, a colon and its key; in addresses after `/bot`. */
const telegramTokens = /\b((?:bot)?\d{6,12}:)[\w-]{30,}/g
/** Whoever knows the address may write there. */
const slackAddresses = /(hooks\.slack(?:-gov)?\.com\/)[\w/-]{8,}/g
/** Up to the last @, as URLs are read. The scheme's length is bounded, or a long line would take its square in time. */
const credentialsInUrl = /\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"]*):[^\s/"]+@/gi
const passwordInQuery = /([?&](?:ssl)?password=)[^&\s"]+/gi
/** In logs its line breaks may be written as two characters. */
const privateKey =
  /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[\s\S]*?(-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g
const authorization =
  /(\bauthorization[\\"']*\s*[:=]\s*[\\"']*(?:(?:bearer|basic)\s+)?)(?!bearer\b|basic\b)[\w.~+/=-]+/gi
/** Without that name only what no plain word looks like: with a digit, an = or a capital inside. */
const scheme = /\b((?:[Bb]earer|[Bb]asic|BEARER|BASIC)\s+)(?=[\w.~+/-]*?(?:\d|=|[a-z][A-Z]))[\w.~+/=-]{8,}/g

/** The text with every token and secret of ours, every one of GitHub's, Telegram's and Slack's, private key, password in a URL and Authorization value replaced by `***`. */
export function maskSecrets(text: string): string {
  return mayHoldSecret.test(text) ? masked(text) : text
}

/** Most lines hold none, and one look tells. */
const mayHoldSecret =
  /qd_|\d{6}:[\w-]{30}|hooks\.slack|gh[a-z]_|github_pat_|:\/\/|password=|authorization|bearer|basic|PRIVATE KEY-/i

function masked(text: string): string {
  return text
    .replace(privateKey, '$1***$2')
    .replace(authorization, '$1***')
    .replace(scheme, '$1***')
    .replace(tokens, 'qd_$1_***')
    .replace(forgeTokens, '$1***')
    .replace(telegramTokens, '$1***')
    .replace(slackAddresses, '$1***')
    .replace(credentialsInUrl, '$1:***@')
    .replace(passwordInQuery, '$1***')
}
