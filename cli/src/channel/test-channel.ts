/** `qd channel test`: a drill, marked [TEST]; the exit code says whether it arrived. */
import { operations } from '@quarterdeck/contract'
import type { Command } from 'commander'
import { api } from '../api.ts'
import { colours } from '../colours.ts'
import { GuidedFault, printJson } from '../fail.ts'
import { type ApiOptions, apiCommand } from '../options.ts'
import { plain } from '../plain.ts'
import { findChannel } from './find.ts'

export const testCommand = (): Command =>
  apiCommand('test', 'send a drill to a channel, marked [TEST]').argument('<name>').action(testChannel)

async function testChannel(name: string, options: ApiOptions): Promise<void> {
  const client = api(options)
  const { id, place } = await findChannel(client, name)
  const outcome = await client.call(operations.testChannel, { params: { id } })
  if (options.json) printJson(outcome)
  else if (outcome.ok)
    process.stdout.write(`${colours(process.stdout).green('✓')} The drill was sent to ${plain(place)}.\n`)
  if (outcome.ok) return
  if (options.json) process.exitCode = 3
  else
    throw new GuidedFault(
      'invalid_fields',
      plain(outcome.problem ?? 'The drill was not taken.'),
      `Mend the channel with \`qd channel add ${name} … --replace\`, and try again.`,
    )
}
