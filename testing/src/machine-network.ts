/** The network of a machine: a loopback and one address that is not loopback, which nobody else can see. */
import { join } from 'node:path'
import { succeed } from './machine-command.ts'

const askProgram = join(import.meta.dirname, 'machine-ask.ts')

export interface Question {
  method?: string
  headers?: Record<string, string>
  body?: string
  /** The Host header. */
  host?: string
  /** The address that is connected to; loopback unless told. */
  address?: string
}

export interface Answered {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** For `ip -batch`. A veth, because not every kernel has dummy interfaces; its far end can be plugged into a bridge. */
export function networkBatch(address: string): string {
  return [
    'link set lo up',
    'link add eth0 type veth peer name far0',
    `addr add ${address}/24 dev eth0`,
    'link set far0 up',
    'link set eth0 up',
    '',
  ].join('\n')
}

/** Asks from a process in the machine's network, since the host has no way to its ports. */
export async function askInside(
  enter: (...argv: string[]) => string[],
  port: number,
  path: string,
  { method = 'GET', headers = {}, body, host, address = '127.0.0.1' }: Question,
): Promise<Answered> {
  const all = { ...(host && { host }), ...headers }
  const input = JSON.stringify({ host: address, port, path, method, headers: all, body })
  const reply = JSON.parse(await succeed(enter(process.execPath, askProgram), { input }))
  if (!reply.error) return reply
  throw Object.assign(new Error(`${method} ${address}:${port}${path}: ${reply.error}`), { code: reply.error })
}
