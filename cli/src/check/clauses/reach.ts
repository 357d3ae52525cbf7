/** Whether the service answers at all, and beyond the loopback address. */
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { breach, type Clause, type Finding, holds, notChecked } from '../clause.ts'
import type { Probe } from '../probe.ts'

const connectLimitMs = 1000

/** Where it does not hold, nothing else can be checked. */
export const answers: Clause = {
  id: 'reach.answers',
  title: 'it answers over HTTP',
  async check(probe) {
    return holds(`at ${await addressOf(probe)}`)
  },
}

/** `addresses` are this machine's own, beyond the loopback. */
export const reachClauses = (addresses: readonly string[] = ownAddresses()): Clause[] => [
  answers,
  {
    id: 'reach.beyond-loopback',
    title: 'it listens on all interfaces',
    async check(probe) {
      const address = await addressOf(probe)
      if (addresses.includes(address)) return holds(`it answers at ${address}`)
      if (!isLoopback(address)) {
        return notChecked(`${address} is another machine: it, or a proxy before it, is reached from outside`)
      }
      return addresses.length > 0
        ? tryAll(addresses, portOf(probe))
        : notChecked('this machine has no address beyond the loopback')
    },
  },
]

/** One endpoint that hangs is a breach of its own: it takes all to say that the service does not answer. */
async function addressOf(probe: Probe): Promise<string> {
  const asked = ['/healthz', '/readyz', '/version'].map(path => probe.first(path))
  try {
    return (await Promise.any(asked)).address
  } catch (error) {
    throw (error as AggregateError).errors[0]
  }
}

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap(list => list ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address)

const isLoopback = (address: string) => /^(::ffff:)?127\./.test(address) || address === '::1'

const portOf = ({ url }: Probe): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

async function tryAll(addresses: readonly string[], port: number): Promise<Finding> {
  const reached = await Promise.all(addresses.map(address => isReached(address, port)))
  const open = addresses.filter((_, i) => reached[i])
  return open.length > 0
    ? holds(`also at ${open.join(', ')}`)
    : breach(
        `port ${port} is open on the loopback address only, not at ${addresses.join(', ')}`,
        'Listen on 0.0.0.0 instead of 127.0.0.1 or localhost: the gateway and Prometheus come from other machines.',
      )
}

function isReached(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host, port, timeout: connectLimitMs })
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  socket.once('timeout', () => resolve(false))
  return promise.finally(() => socket.destroy())
}
