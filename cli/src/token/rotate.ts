/** `qd token rotate`: a successor, while the old token still counts for a time. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { future, lengthOfTime } from '../numbers.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { findTokenId } from './find.ts'
import { tellToken } from './made.ts'

interface RotateOptions extends ApiOptions {
  overlap?: number
  expires?: string
}

const day = 86_400

export const rotateCommand = (): Command =>
  apiCommand('rotate', 'make a successor of a token; the old one counts until the overlap is over')
    .argument('<id>', 'whole or shortened')
    .option('--overlap <time>', 'how long the old one still counts, such as 1h (default: 24h)', lengthOfTime)
    .option('--expires <when>', 'of the new one, such as 90d or 2027-01-01', future)
    .action(rotate)

async function rotate(text: string, options: RotateOptions): Promise<void> {
  const client = api(options)
  const { overlap = day, expires } = options
  const id = await findTokenId(client, text)
  const body = { overlap_s: overlap, expires_at: expires }
  const made = await client.call(operations.rotateToken, { params: { id }, body })
  const until = overlap === 0 ? 'no longer counts' : `counts for ${spanText(overlap)} more`
  tellToken(made, `The one before ${until}: put this one in its place.`, options)
}

const spanText = (seconds: number): string =>
  seconds % 3600 === 0 ? `${seconds / 3600} h` : seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
