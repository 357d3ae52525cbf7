/** That messages do not reach a channel is an alert, which the other channels hear of. */
import type { Reported, Source } from './take.ts'

/** Each end is told for certain. */
export const channelSource: Source = { name: 'channels', leaseMs: null }

/** `problem` is null where they reach it again. */
export const channelAlert = (channel: string, problem: string | null, now: Date): Reported => ({
  labels: { alertname: 'ChannelFailing', channel, severity: 'critical' },
  annotations: {
    summary: `Messages do not reach the channel ${channel}`,
    ...(problem && { description: problem }),
  },
  ...(problem === null && { endsAt: now.toISOString() }),
})
