/**
 * The only place of the scripts that starts programs: argument arrays, never a shell; signals are passed on.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** @type {NodeJS.Signals[]} */
const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * @typedef {object} Result
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal that ended the program
 * @property {NodeJS.Signals | null} interruptedBy the signal that reached us while it ran
 * @property {string} output what it wrote, when captured
 */

/**
 * Runs a program to its end. It uses our terminal, or with `capture` its output is collected.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, capture?: boolean }} [options]
 * @returns {Promise<Result>} rejects when the program could not be started
 */
export function run(command, args, { cwd = process.cwd(), env = process.env, capture = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit' })
    const output = collect(child)
    const signals = forwardSignals(child)
    child.once('error', error => {
      signals.end()
      reject(error)
    })
    child.once('close', (code, signal) => {
      signals.end()
      resolve({ code, signal, interruptedBy: signals.received(), output: output() })
    })
  })
}

/** @param {import('node:child_process').ChildProcess} child */
function collect(child) {
  /** @type {Buffer[]} */
  const chunks = []
  child.stdout?.on('data', chunk => chunks.push(chunk))
  child.stderr?.on('data', chunk => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString()
}

/** @param {import('node:child_process').ChildProcess} child */
function forwardSignals(child) {
  /** @type {NodeJS.Signals | null} */
  let first = null
  /** @param {NodeJS.Signals} signal */
  const forward = signal => {
    first ??= signal
    if (signal === 'SIGTERM' || !inForeground()) child.kill(signal)
  }
  for (const signal of forwarded) process.on(signal, forward)
  return {
    received: () => first,
    end: () => {
      for (const signal of forwarded) process.off(signal, forward)
    },
  }
}

/**
 * A terminal sends Ctrl-C to all processes in its foreground, the child too, and npm sends its own copy besides. A
 * program that takes the second one as "stop at once" must not get more than the terminal's.
 */
function inForeground() {
  try {
    // proc_pid_stat(5): after the name in parentheses come state, ppid, pgrp, session, tty_nr, tpgid.
    const [, , group, , , foreground] =
      readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return group !== undefined && group === foreground
  } catch {
    return Boolean(process.stdin.isTTY)
  }
}
