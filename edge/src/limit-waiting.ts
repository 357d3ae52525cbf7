/** How long the edge waits for a project. Once an answer has begun there is no limit: it may be a stream. */
import type { ClientRequest, IncomingMessage } from 'node:http'
import { errorWith } from './upstream-fault.ts'

const connectMs = 5000

/** Ends `outgoing` when the connection, or the beginning of the answer to what was sent, takes too long. */
export function limitWaiting(outgoing: ClientRequest, request: IncomingMessage, answerMs: number): void {
  let timer: NodeJS.Timeout | undefined
  let sent = 0
  let isOver = false

  function wait(ms: number, onLimit: () => void): void {
    clearTimeout(timer)
    if (!isOver) timer = setTimeout(onLimit, ms)
  }

  function waitForAnswer(): void {
    wait(answerMs, () => {
      const { bytesWritten = 0 } = outgoing.socket ?? {}
      // While the body is on its way the wait has not begun. That the client is slow has a limit of its own.
      const isClientSlow = !request.complete && !outgoing.writableNeedDrain
      const isSending = !outgoing.writableFinished && (isClientSlow || bytesWritten !== sent)
      sent = bytesWritten
      if (isSending) waitForAnswer()
      else outgoing.destroy(errorWith('NO_ANSWER', `no answer within ${answerMs} ms`))
    })
  }

  function end(): void {
    isOver = true
    clearTimeout(timer)
  }

  outgoing
    .once('socket', socket => {
      if (!socket.connecting) return waitForAnswer()
      wait(connectMs, () => outgoing.destroy(errorWith('ETIMEDOUT', `no connection within ${connectMs} ms`)))
      socket.once('connect', waitForAnswer)
    })
    .once('finish', waitForAnswer)
    .once('response', end)
    .once('close', end)
}
