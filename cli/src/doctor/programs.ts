/** The programs that capabilities use, and where Debian has them. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Check } from './check.ts'

const run = promisify(execFile)
const limitMs = 15_000

export interface Program {
  capability: string
  name: string
  /** Prints its version, or anything, and exits with 0 when it is there and works. */
  command: [string, ...string[]]
  remedy: string
}

export const git: Program = {
  capability: 'Projects from repositories',
  name: 'git',
  command: ['git', '--version'],
  remedy: 'apt-get install git',
}

export const python: Program = {
  capability: 'Python projects',
  name: 'python3 with venv',
  command: ['python3', '-c', 'import sys, venv, ensurepip; print("Python", sys.version.split()[0])'],
  remedy: 'apt-get install python3-venv',
}

export const npm: Program = {
  capability: 'Node projects',
  name: 'npm',
  command: ['npm', '--version'],
  remedy: 'install Node 22 or newer with npm, from nodejs.org or your system’s packages',
}

const programs: Program[] = [
  git,
  {
    capability: 'Private repositories over ssh',
    name: 'ssh',
    command: ['ssh', '-V'],
    remedy: 'apt-get install openssh-client',
  },
  python,
  npm,
  {
    capability: 'Metrics kept by Prometheus',
    name: 'prometheus',
    command: ['prometheus', '--version'],
    remedy: 'apt-get install prometheus, or leave it: the embedded engine needs nothing',
  },
  {
    capability: 'Gateway by HAProxy',
    name: 'haproxy',
    command: ['haproxy', '-v'],
    remedy: 'apt-get install haproxy, or leave it: the embedded edge needs nothing',
  },
  {
    capability: 'Certificates by DNS-01',
    name: 'lego',
    command: ['lego', '--version'],
    remedy: 'apt-get install lego; on localhost no certificate is needed',
  },
]

export const checkPrograms = (): Promise<Check[]> => Promise.all(programs.map(checkProgram))

export async function checkProgram({
  capability,
  name,
  command: [file, ...args],
  remedy,
}: Program): Promise<Check> {
  try {
    const { stdout, stderr } = await run(file, args, { timeout: limitMs })
    const found = (stdout || stderr).trim().split('\n')[0] ?? ''
    return { capability, name, required: false, ok: true, found, remedy: null }
  } catch (error) {
    const found = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'not installed' : 'does not work'
    return { capability, name, required: false, ok: false, found, remedy }
  }
}

export function checkSystemd(): Check {
  const first = firstProcess()
  const ok = first === 'systemd'
  return {
    capability: 'Projects as system units',
    name: 'systemd as PID 1',
    required: false,
    ok,
    found: ok ? 'systemd' : `PID 1 is ${first}`,
    remedy: ok ? null : 'use a machine that boots systemd; elsewhere projects run as child processes',
  }
}

function firstProcess(): string {
  try {
    return readFileSync('/proc/1/comm', 'utf8').trim()
  } catch {
    return 'not to be seen'
  }
}
