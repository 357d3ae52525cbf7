/** Channels: where messages go. Each kind has settings of its own; what is secret in them is never shown again. */
import { z } from 'zod'
import { severity } from './alert.ts'
import { document } from './document.ts'
import { id, line, page, port, slug, time, url } from './wire.ts'

export const channelKinds = ['telegram', 'slack', 'email', 'webhook'] as const
export const channelKind = z.enum(channelKinds)
export type ChannelKind = z.infer<typeof channelKind>

/** What a channel hears of: an empty list means everything; all three have to agree. */
export const channelRoutes = z.object({
  groups: z.array(slug).max(100).default([]),
  projects: z.array(slug).max(1000).default([]),
  severities: z.array(severity).max(3).default([]),
})
export type ChannelRoutes = z.infer<typeof channelRoutes>

const secretText = line.trim().min(1, 'must not be empty').max(500)
const outgoingUrl = url
  .max(2000)
  .refine(text => !/^[^/]*\/\/[^/]*@/.test(text), 'must be without user and password')
/** A mailbox, bare: nothing in it may begin another header or recipient. */
const mailbox = z.email('must be a mail address such as ops@example.com').max(254)

export const telegramSettings = z.object({
  kind: z.literal('telegram'),
  token: z
    .string()
    .trim()
    .regex(/^\d{1,20}:[\w-]{20,100}$/, 'must be a bot’s token, as @BotFather gives it')
    .describe('of the bot; a secret'),
  chat_id: z
    .string()
    .regex(/^-?\d{1,20}$/, 'must be the number of a chat')
    .describe('where messages go, and the only chat that is listened to'),
  thread_id: z.int().positive().nullable().default(null).describe('the topic of a chat that has topics'),
  users: z
    .array(z.string().regex(/^\d{1,20}$/, 'must be the number of a user'))
    .max(200)
    .default([])
    .describe('who may press buttons and send commands; nobody else does anything'),
  actions: z.boolean().default(false).describe('offers rollback and re-run, each with a second confirmation'),
  updates: z
    .enum(['poll', 'webhook', 'none'])
    .default('poll')
    .describe(
      'how buttons and commands come: asked for, sent by Telegram to this environment, or not at all',
    ),
  api_url: outgoingUrl
    .default('https://api.telegram.org')
    .describe('another one for a Bot API server of one’s own'),
})

export const slackSettings = z.object({
  kind: z.literal('slack'),
  url: outgoingUrl.describe('of the incoming webhook; a secret. Mattermost and Rocket.Chat take the same'),
})

export const emailSettings = z.object({
  kind: z.literal('email'),
  host: z.string().regex(/^[a-zA-Z0-9.:-]{1,253}$/, 'must be a host name or an address'),
  port: port.default(587),
  tls: z
    .enum(['starttls', 'implicit', 'none'])
    .default('starttls')
    .describe('starttls is required then, not only tried; none only without a password'),
  user: line.max(200).nullable().default(null),
  password: secretText.nullable().default(null).describe('a secret'),
  from: mailbox,
  to: z.array(mailbox).min(1).max(50),
})

export const webhookSettings = z.object({
  kind: z.literal('webhook'),
  url: outgoingUrl.describe('gets Alertmanager’s webhook document, version 4; a secret'),
  secret: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 visible ASCII characters')
    .optional()
    .describe('what messages are signed with; without it one is made, and shown this once'),
})

export const channelSettings = z.discriminatedUnion('kind', [
  telegramSettings,
  slackSettings,
  emailSettings,
  webhookSettings,
])
export type ChannelSettings = z.infer<typeof channelSettings>
export type TelegramSettings = z.infer<typeof telegramSettings>
export type SlackSettings = z.infer<typeof slackSettings>
export type EmailSettings = z.infer<typeof emailSettings>
export type WebhookSettings = z.infer<typeof webhookSettings>

/** The fields of each kind that are sealed, and never shown again. */
export const channelSecrets: Record<ChannelKind, readonly string[]> = {
  telegram: ['token'],
  slack: ['url'],
  email: ['password'],
  webhook: ['url', 'secret'],
}

const passwordNeedsTls = {
  path: ['settings', 'tls'],
  error: 'must not be none with a password, which would go in the clear',
}

export const channelCreate = z
  .object({
    name: slug,
    routes: channelRoutes.prefault({}),
    settings: channelSettings,
  })
  .refine(
    ({ settings: s }) => s.kind !== 'email' || s.password === null || s.tls !== 'none',
    passwordNeedsTls,
  )
export type ChannelCreate = z.infer<typeof channelCreate>

export const channel = z.object({
  id,
  name: slug,
  kind: channelKind,
  routes: channelRoutes,
  settings: z.record(z.string(), z.json()).describe('everything but the secrets'),
  place: z.string().describe('where messages go, for people'),
  created_at: time,
  updated_at: time,
  last_sent_at: time.nullable(),
  waiting: z.int().min(0).describe('messages that are still to be sent'),
  problem: z.string().nullable().describe('why the last message could not be sent; null: it could'),
})
export type Channel = z.infer<typeof channel>

export const channelCreated = channel.extend({
  secret: z.string().nullable().describe('of a webhook that was made without one; shown this once only'),
})
export type ChannelCreated = z.infer<typeof channelCreated>

export const channelTest = z.object({
  ok: z.boolean(),
  problem: z.string().nullable().describe('why the drill could not be sent'),
})
export type ChannelTest = z.infer<typeof channelTest>

const shown: Channel = {
  id: '019cadc0-5e10-7c22-8b93-1a2b3c4d5e6f',
  name: 'on-call',
  kind: 'telegram',
  routes: { groups: ['production'], projects: [], severities: ['critical', 'warning'] },
  settings: {
    chat_id: '-1001234567890',
    thread_id: null,
    users: ['123456789'],
    actions: false,
    updates: 'poll',
  },
  place: 'chat -1001234567890',
  created_at: '2026-03-01T10:00:00Z',
  updated_at: '2026-03-01T10:00:00Z',
  last_sent_at: '2026-03-02T09:17:01Z',
  waiting: 0,
  problem: null,
}

export const channelDocument = document('channel', channel, shown)
export const channelPageDocument = document('channel-page', page(channel), {
  items: [shown],
  next_cursor: null,
})
export const channelCreatedDocument = document('channel-created', channelCreated, { ...shown, secret: null })
export const channelTestDocument = document('channel-test', channelTest, { ok: true, problem: null })

export const channelCreateDocument = document('channel-create', channelCreate, {
  name: 'on-call',
  routes: { groups: ['production'], severities: ['critical', 'warning'] },
  settings: {
    kind: 'telegram',
    token: '123456789:AAExampleExampleExampleExampleExample',
    chat_id: '-1001234567890',
    users: ['123456789'],
  },
})
