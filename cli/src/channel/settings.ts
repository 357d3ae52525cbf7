/** The settings of a channel from the options of the command line. */
import type { ChannelKind } from '@quarterdeck/contract'
import { GuidedFault } from '../fail.ts'

export interface SettingOptions {
  chat?: string
  thread?: number
  user?: string[]
  actions?: true
  updates?: 'poll' | 'webhook' | 'none'
  apiUrl?: string
  host?: string
  port?: number
  tls?: 'starttls' | 'implicit' | 'none'
  smtpUser?: string
  from?: string
  to?: string[]
}

/** What the secret of each kind is. */
export const secrets: Record<ChannelKind, (options: SettingOptions) => string | undefined> = {
  telegram: () => 'The bot’s token',
  slack: () => 'The address of the incoming webhook',
  webhook: () => 'The address that messages go to',
  // Without a user there is no password.
  email: ({ smtpUser }) => (smtpUser === undefined ? undefined : 'The password'),
}

export function settingsOf(kind: ChannelKind, options: SettingOptions, secret: string | undefined): object {
  switch (kind) {
    case 'telegram':
      return {
        kind,
        token: secret,
        chat_id: needed(options.chat, '--chat', 'the number of the chat'),
        thread_id: options.thread ?? null,
        users: options.user ?? [],
        actions: options.actions ?? false,
        ...(options.updates && { updates: options.updates }),
        ...(options.apiUrl && { api_url: options.apiUrl }),
      }
    case 'slack':
    case 'webhook':
      return { kind, url: secret }
    case 'email':
      return {
        kind,
        host: needed(options.host, '--host', 'the mail server'),
        ...(options.port !== undefined && { port: options.port }),
        ...(options.tls && { tls: options.tls }),
        user: options.smtpUser ?? null,
        password: secret ?? null,
        from: needed(options.from, '--from', 'the address that mails come from'),
        to: needed(options.to, '--to', 'the addresses that mails go to'),
      }
  }
}

function needed<T>(value: T | undefined, option: string, what: string): T {
  if (value !== undefined) return value
  throw new GuidedFault(
    'invalid_fields',
    `${option} is missing: ${what}.`,
    `Add it: \`qd channel add NAME KIND ${option} …\`.`,
  )
}
