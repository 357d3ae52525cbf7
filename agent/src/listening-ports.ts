/** Where the processes of a group listen, so that "on another port" and "on loopback only" can be said. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { SocketAddress } from 'node:net'
import { endianness } from 'node:os'
import { groupMembers } from './proc.ts'

/** The state LISTEN in /proc/net/tcp. */
const listening = '0A'

export interface ListeningPort {
  readonly address: string
  readonly port: number
}

/** Each address and port once, however many workers share it. */
export function listeningPorts(pgid: number): ListeningPort[] {
  const pids = groupMembers(pgid)
  const inodes = new Set(pids.flatMap(socketsOf))
  const found = new Map<string, ListeningPort>()
  // Read through each process, which may live in a network namespace of its own.
  for (const pid of pids) {
    for (const { inode, ...port } of [...tableOf(pid, 'tcp'), ...tableOf(pid, 'tcp6')]) {
      if (inodes.has(inode)) found.set(`${port.address} ${port.port}`, port)
    }
  }
  return [...found.values()]
}

function socketsOf(pid: number): string[] {
  const directory = `/proc/${pid}/fd`
  try {
    return readdirSync(directory).flatMap(fd => inodeOf(`${directory}/${fd}`) ?? [])
  } catch {
    return []
  }
}

function inodeOf(descriptor: string): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(descriptor))?.[1]
  } catch {
    return undefined
  }
}

function tableOf(pid: number, table: 'tcp' | 'tcp6'): (ListeningPort & { inode: string })[] {
  return linesOfTable(`/proc/${pid}/net/${table}`).flatMap(line => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
    const [address = '', port = ''] = local.split(':')
    return state === listening ? [{ address: readable(address), port: Number.parseInt(port, 16), inode }] : []
  })
}

/** The first line is the heading. */
function linesOfTable(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(1)
  } catch {
    return []
  }
}

/** The kernel prints each 32 bits as a number of this machine. */
function readable(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  if (endianness() === 'LE') bytes.swap32()
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16))
  return new SocketAddress({ family: 'ipv6', address: groups.join(':') }).address
}
