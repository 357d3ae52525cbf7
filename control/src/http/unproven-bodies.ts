/**
 * Bodies of callers who prove with the body itself who they are: until it is there, they may be anybody. All of them
 * together get a fixed room. When that is full, the one that has been arriving longest gives way, because an honest one is
 * there in a moment.
 */
import type { IncomingMessage } from 'node:http'
import { Fault } from '@quarterdeck/contract'

export interface Room {
  readonly bytes: number
  readonly bodies: number
}

const usualRoom: Room = { bytes: 32 * 1024 * 1024, bodies: 256 }
const firstBytes = 16 * 1024
const nothing = Buffer.alloc(0)

interface Held {
  /** What it takes, not what has come: many small pieces take no more than a large one. */
  buffer: Buffer
  /** Undefined once it is whole. */
  giveUp: ((fault: Fault) => void) | undefined
}

export class UnprovenBodies {
  readonly #room: Room
  /** In the order in which they began. */
  readonly #held = new Map<IncomingMessage, Held>()
  #bytes = 0

  constructor(room: Room = usualRoom) {
    this.#room = room
  }

  /** What all of them take. */
  get bytes(): number {
    return this.#bytes
  }

  /** The whole body, which has its place until it is released; a fault when there is none to be had. */
  read(request: IncomingMessage, atMost: number): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    if (Number(request.headers['content-length']) > atMost) return Promise.reject(tooLarge())
    let length = 0
    const held: Held = { buffer: nothing, giveUp }
    const take = (chunk: Buffer) => {
      if (length + chunk.length > atMost) return giveUp(tooLarge())
      this.#grow(held, Math.min(length + chunk.length, atMost), atMost)
      // Its own place may be what it took.
      if (!held.giveUp) return
      chunk.copy(held.buffer, length)
      length += chunk.length
    }
    const whole = () => {
      leave()
      resolve(held.buffer.subarray(0, length))
    }
    const cutOff = () => giveUp(new Fault('malformed_request', 'The body broke off.'))
    const leave = () => {
      held.giveUp = undefined
      request.off('data', take).off('end', whole).off('error', cutOff).off('close', cutOff)
    }
    const release = () => this.release(request)
    function giveUp(fault: Fault) {
      leave()
      release()
      // What still comes is read, so that the answer can be, and forgotten.
      request.on('error', () => undefined).resume()
      reject(fault)
    }
    this.#held.set(request, held)
    request.on('data', take).on('end', whole).on('error', cutOff).on('close', cutOff)
    this.#makeRoom()
    return promise
  }

  /** Nobody needs it any more. */
  release(request: IncomingMessage): void {
    const held = this.#held.get(request)
    if (!held) return
    this.#held.delete(request)
    this.#bytes -= held.buffer.length
    // What is left of the request may live as long as its connection.
    held.buffer = nothing
  }

  #grow(held: Held, needed: number, atMost: number): void {
    const { buffer } = held
    if (needed <= buffer.length) return
    const size = Math.min(Math.max(needed, buffer.length * 2, firstBytes), atMost)
    this.#bytes += size - buffer.length
    held.buffer = Buffer.allocUnsafeSlow(size)
    buffer.copy(held.buffer)
    this.#makeRoom()
  }

  #makeRoom(): void {
    for (const { giveUp } of this.#held.values()) {
      if (this.#bytes <= this.#room.bytes && this.#held.size <= this.#room.bodies) return
      giveUp?.(new Fault('request_timeout', 'Many bodies arrive at once, and this one took the longest.'))
    }
  }
}

const tooLarge = () => new Fault('body_too_large', 'The body is larger than this path takes.')
