/** Mail by SMTP. Messages of one problem are one conversation; a server that asks to come back later is asked later. */
import { lookup } from 'node:dns/promises'
import type { EmailSettings } from '@quarterdeck/contract'
import type { Notice } from '../notice.ts'
import { alertLines, callText, facts, headline } from '../notice-text.ts'
import { again, type Channel, never, type Outcome, sent } from './channel.ts'
import { objectionTo } from './outgoing.ts'

const limitMs = 20_000

export function email(settings: EmailSettings): Channel {
  const { host, port, to } = settings
  const place = `${to.join(', ')} by ${host}:${port}`
  return {
    flags: { edits: false, every_change: false },
    place,
    show: (ids, notice) => send(settings, ids, notice),
    reply: async () => sent(),
  }
}

/** `ids` names whom this very mail has reached: the others are asked again, and nobody gets it twice. */
async function send(settings: EmailSettings, ids: readonly string[], notice: Notice): Promise<Outcome> {
  const { host, port, tls, user, password, from, to } = settings
  const mail = mailOf(settings, notice)
  const idOf = (address: string) => `${mail.messageId} ${address}`
  const left = to.filter(address => !ids.includes(idOf(address)))
  const reached = (others: readonly string[]) => to.filter(address => !others.includes(address)).map(idOf)
  const objection = await objectionToHost(host)
  if (objection) return again(`The mail server: ${objection}.`, { lasting: true })
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(user !== null && { auth: { user, pass: password ?? '' } }),
    connectionTimeout: limitMs,
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
    // Whatever a text says, nothing is read for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    const { rejectedErrors = [] } = await transport.sendMail({ ...mail, envelope: { from, to: left } })
    return refusedOutcome(rejectedErrors as SmtpError[], `${host}:${port}`, reached)
  } catch (error) {
    const { rejectedErrors = [] } = error as SmtpError
    if (left.length < to.length && rejectedErrors.length > 0)
      return refusedOutcome(rejectedErrors, `${host}:${port}`, reached)
    const outcome = outcomeOf(error as SmtpError, `${host}:${port}`)
    return outcome.what === 'again' ? { ...outcome, ids: reached(left) } : outcome
  } finally {
    transport.close()
  }
}

/** A name that is not found is told of by whoever asks it. */
async function objectionToHost(host: string): Promise<string | undefined> {
  const addresses = await lookup(host, { all: true }).catch(() => [])
  return addresses.map(({ address }) => objectionTo(address, false)).find(Boolean)
}

export function mailOf({ from, to }: EmailSettings, notice: Notice) {
  const { problemId, version, telling, links, state } = notice
  const at = from.slice(from.indexOf('@') + 1)
  const first = `<${problemId}@${at}>`
  const isFirst = telling === 'opened' || telling === 'notice'
  const lines = [
    ...(isFirst || telling === null || state === 'notice' ? [] : [callText(notice), '']),
    headline(notice),
    '',
    ...facts(notice).map(([label, value]) => `${label}: ${value}`),
    '',
    ...alertLines(notice).map(line => `- ${line}`),
    '',
    ...(links.runbook ? [`Runbook: ${links.runbook}`] : []),
    ...(links.status ? [`Status: ${links.status}`] : []),
    `Panel: ${links.panel}`,
  ]
  return {
    from: { name: 'Quarterdeck', address: from },
    to: to.map(address => ({ name: '', address })),
    subject: headline(notice).slice(0, 200),
    text: lines.join('\n'),
    // The same one sent again, because nobody knows whether it arrived, bears the same id.
    messageId: isFirst ? first : `<${problemId}.${version}.${telling ?? 'change'}@${at}>`,
    ...(!isFirst && { inReplyTo: first, references: [first] }),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Quarterdeck-Problem': problemId },
  }
}

interface SmtpError extends Error {
  code?: string
  responseCode?: number
  command?: string
  recipient?: string
  /** Where all recipients were refused. */
  rejectedErrors?: SmtpError[]
}

/** Some have it. Who is refused for good does not keep the others from the next one. */
function refusedOutcome(
  refused: readonly SmtpError[],
  name: string,
  reached: (others: readonly string[]) => string[],
): Outcome {
  const [first] = refused
  if (!first) return sent()
  const addresses = refused.map(({ recipient = '' }) => recipient)
  const later = refused.find(({ responseCode = 0 }) => responseCode < 500)
  const answered = `${name} answered ${(later ?? first).responseCode}`
  if (later)
    return again(`${answered}: it wants to be asked again later for ${addresses.join(', ')}.`, {
      ids: reached(addresses),
    })
  return never(`${answered}: it does not take mail to ${addresses.join(', ')}; the others have it.`)
}

/** 4xx: come back later (RFC 5321, 4.2.1). 5xx to who we are or to whom it goes needs help; to the text, another text. */
function outcomeOf({ code, responseCode, command = '' }: SmtpError, name: string): Outcome {
  if (responseCode === undefined) {
    const reason =
      code === 'ETIMEDOUT' ? 'no answer in time' : code === 'ETLS' ? 'TLS cannot be agreed on' : code
    return again(`${name} cannot be reached: ${reason ?? 'the connection broke'}.`, {
      lasting: code === 'ETLS',
    })
  }
  const answered = `${name} answered ${responseCode}`
  if (responseCode < 500) return again(`${answered}: it wants to be asked again later.`)
  if (command === 'DATA') return never(`${answered}: it does not take the message.`)
  const reason =
    code === 'EAUTH' ? 'user or password is wrong' : 'it does not take mail from or to these addresses'
  return again(`${answered}: ${reason}.`, { lasting: true })
}
