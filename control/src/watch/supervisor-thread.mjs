/**
 * Waits for the beats of the event loop. Here nothing goes through that loop: not even what is written. Plain JavaScript, because
 * reading TypeScript takes a thread more memory than all that it does.
 */
import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

/** @type {import('./supervisor.ts').Supervised} */
const { beats, stuckMs, endMs } = workerData

/** @param {string} message @param {number} stuck_ms */
const say = (message, stuck_ms) =>
  writeSync(
    2,
    `${JSON.stringify({ level: 50, time: Date.now(), pid: process.pid, stuck_ms, msg: message })}\n`,
  )

let seen = Atomics.load(beats, 0)
let since = performance.now()
let isSaid = false
for (;;) {
  // Woken by nobody: it sleeps for as long as is worth it, without an event loop of its own.
  Atomics.wait(beats, 0, seen, stuckMs / 2)
  const beat = Atomics.load(beats, 0)
  const now = performance.now()
  if (beat !== seen) {
    ;[seen, since, isSaid] = [beat, now, false]
    continue
  }
  const stuckFor = Math.round(now - since)
  if (stuckFor >= stuckMs && !isSaid) {
    isSaid = true
    say('control’s event loop is stuck: nothing is watched, and nothing is answered', stuckFor)
  }
  if (endMs !== null && stuckFor >= endMs) {
    say('control ends itself, to be started again', stuckFor)
    process.kill(process.pid, 'SIGKILL')
  }
}
