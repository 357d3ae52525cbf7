/** Keeps the agent connected to control: dials again whenever the connection ends, with growing pauses. */
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { streamLink } from '@quarterdeck/contract'
import type { Logger } from 'pino'
import type { Agent } from './agent.ts'

const firstPauseMs = 100
const longestPauseMs = 5000

/** Until `ended`. */
export async function keepConnected(
  agent: Agent,
  path: string,
  { log, ended }: { log: Logger; ended: AbortSignal },
): Promise<void> {
  for (let pauseMs = firstPauseMs; !ended.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    if (await connected(agent, path, log, ended)) pauseMs = firstPauseMs
    await wait(pauseMs, undefined, { signal: ended }).catch(() => undefined)
  }
}

/** Resolves when the connection has ended; with false, if there never was one. */
async function connected(agent: Agent, path: string, log: Logger, ended: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const connection = connect(path)
  const close = () => connection.destroy()
  ended.addEventListener('abort', close, { once: true })
  let isOpen = false
  connection.once('connect', () => {
    isOpen = true
    log.info({ path }, 'connected to control')
    agent.connect(streamLink(connection))
  })
  connection.on('error', error => log.debug({ err: error, path }, 'control is not there'))
  connection.once('close', () => resolve(isOpen))
  return promise.finally(() => ended.removeEventListener('abort', close))
}
