/** A token that was just made: alone on standard output, so that `TOKEN=$(qd token create …)` holds it and nothing else. */
import type { TokenCreated } from '@quarterdeck/contract'
import { colours } from '../colours.ts'
import { printJson } from '../fail.ts'
import { shortId } from '../ids.ts'
import type { ApiOptions } from '../options.ts'
import { plain } from '../plain.ts'

export function tellToken(made: TokenCreated, use: string, { json }: ApiOptions): void {
  if (json) {
    printJson(made)
    return
  }
  const { green, dim } = colours(process.stderr)
  const until = made.expires_at ? `until ${made.expires_at.slice(0, 10)}` : 'until it is revoked'
  const id = shortId(made.id)
  process.stderr.write(
    `${green('✓')} Token ${id} (${plain(made.label)}), good ${until}. It is shown this once only.\n` +
      `  ${dim(`${use} Revoke it with \`qd token revoke ${id}\`.`)}\n`,
  )
  process.stdout.write(`${made.token}\n`)
}
