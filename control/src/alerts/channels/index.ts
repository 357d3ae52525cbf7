/** Every kind of channel: adding one is a file and a line. */
import type { ChannelSettings } from '@quarterdeck/contract'
import type { Channel } from './channel.ts'
import { email } from './email.ts'
import { slack } from './slack.ts'
import { telegram } from './telegram.ts'
import { webhook } from './webhook.ts'

type Kinds = {
  [K in ChannelSettings['kind']]: (settings: Extract<ChannelSettings, { kind: K }>, name: string) => Channel
}

const kinds: Kinds = { telegram, slack, email, webhook }

export const openChannel = (settings: ChannelSettings, name: string): Channel =>
  kinds[settings.kind](settings as never, name)
