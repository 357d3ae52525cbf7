/** What Telegram tells of a chat, as far as it matters here. Everything in it was typed or pressed by somebody. */
import { z } from 'zod'

const user = z.object({ id: z.int(), username: z.string().optional() })
const message = z.object({
  message_id: z.int(),
  chat: z.object({ id: z.int() }),
  from: user.optional(),
  text: z.string().optional(),
})

export const chatUpdate = z.object({
  update_id: z.int(),
  message: message.optional(),
  callback_query: z
    .object({ id: z.string(), from: user, message: message.optional(), data: z.string().max(64).optional() })
    .optional(),
})
export type ChatUpdate = z.infer<typeof chatUpdate>
export type ChatUser = z.infer<typeof user>

export const chatOf = ({ message, callback_query }: ChatUpdate): string | undefined => {
  const id = callback_query ? callback_query.message?.chat.id : message?.chat.id
  return id === undefined ? undefined : String(id)
}

/** The number is who it is; the name is for people, and its owner may change it. */
export const nameOf = ({ id, username }: ChatUser): string =>
  username !== undefined && /^\w{1,32}$/.test(username) ? `telegram:${username}/${id}` : `telegram:${id}`
