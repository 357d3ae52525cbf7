/** A server with a real systemd and Quarterdeck installed, and projects on it whose remotes lie inside the machine. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Machine, until } from '@quarterdeck/testing'

const qdFile = join(import.meta.dirname, '../../cli/bin/quarterdeck.mjs')
const edgePort = 8300
export const home = '/var/lib/quarterdeck'

export interface RunOnServer {
  id: string
  status: string
  error: { code: string; message: string } | null
  restored_sha: string | null
}

/** Of the service in `server-services.ts`, in parts. */
export interface Answer {
  sha: string
  text: string | null
  report: Tried
  uid: number
  done: string[]
}

/** What a hostile project could do. */
export type Tried = Pick<Answer, 'uid' | 'done'>

/** What a developer has: a clone, and the remote that is deployed from. */
export interface Remote {
  readonly path: string
  /** Null removes a file. Resolves with the commit. */
  push(files: Record<string, string | null>): Promise<string>
}

export interface ProjectOnServer extends Remote {
  readonly root: string
  /** The webhook, to the end of the run. */
  deploy(ref: string): Promise<RunOnServer>
  /** The webhook, without waiting; resolves with the run's id. */
  begin(ref: string): Promise<string>
  ended(id: string): Promise<RunOnServer>
  /** Resolves as soon as the journal of the agent has the entry. */
  reached(id: string, entry: string): Promise<void>
  ask(path: string): Promise<Answer>
  version(): Promise<string>
  /** Until it answers again: after a boot the edge has to come up first. */
  answers(sha: string): Promise<void>
  /** The commits that its service has noted in data/starts, one for each start. */
  starts(): string[]
  log(id: string): Promise<string>
}

export class Server {
  readonly machine: Machine

  private constructor(machine: Machine) {
    this.machine = machine
  }

  static async install(): Promise<Server> {
    const server = new Server(await Machine.boot())
    await server.qd('install', '--allow-any-place')
    return server
  }

  qd(...args: string[]): Promise<string> {
    return this.machine.ok(process.execPath, qdFile, ...args)
  }

  /** `options` are those of `qd project add`. */
  async project(name: string, options: string[], start: string[]): Promise<ProjectOnServer> {
    const { machine } = this
    const remote = await remoteIn(machine, `/srv/${name}`)
    const add = ['project', 'add', name, '--repository', `acme/${name}`, '--git', remote.path]
    await this.qd(...add, '--interpreter', '/usr/bin/python3', ...options, '--', ...start)
    const token = (await this.qd('token', 'create', name, '--label', 'ci')).trim()
    const root = `${home}/projects/${name}`
    const here = (path: string) => join(machine.root, path)
    const journal = (id: string) => here(`${home}/agent/runs/${id}/journal`)
    const call = async (ref: string, ...more: string[]) => {
      const headers = [`Authorization: Bearer ${token}`, 'Content-Type: application/json', ...more]
      const body = JSON.stringify({ ref, project: `acme/${name}` })
      const url = `http://admin.localhost:${edgePort}/api/deploy/${name}`
      const given = headers.flatMap(header => ['--header', header])
      const { stdout } = await machine.run('curl', ['--silent', ...given, '--data', body, url])
      const answer = JSON.parse(stdout)
      return (answer.run ?? answer) as RunOnServer
    }
    // The edge hears of a first deploy a moment later.
    const ask = (path: string) =>
      until(`${name} answers ${path}`, async () => {
        const { status, text } = await machine.ask(edgePort, path, { host: `${name}.localhost` })
        return status === 200 && JSON.parse(text)
      })
    const version = async (): Promise<string> => (await ask('/version')).sha
    return {
      ...remote,
      root,
      deploy: ref => call(ref, 'Prefer: wait=120'),
      begin: async ref => (await call(ref)).id,
      ended: id =>
        until(
          `the run ${id} ends`,
          async () => {
            const text = await this.qd('run', id, '--json').catch(() => undefined)
            const run = text === undefined ? undefined : (JSON.parse(text) as RunOnServer)
            return run && !['queued', 'running'].includes(run.status) && run
          },
          60_000,
        ),
      reached: (id, entry) =>
        until(`the run reaches ${entry}`, () => hasEntry(journal(id), entry), 30_000).then(() => undefined),
      ask,
      version,
      answers: async sha => {
        const isThere = async () => (await version().catch(() => '')) === sha
        await until(`${name} runs ${sha}`, isThere, 30_000)
      },
      starts: () =>
        textOf(here(`${root}/data/starts`))
          .split('\n')
          .filter(Boolean),
      log: id => this.qd('logs', id),
    }
  }

  /** Transient units of installs and steps that are there. */
  async transientUnits(): Promise<string> {
    return (
      await this.machine.ok(
        'systemctl',
        'list-units',
        '--all',
        '--no-legend',
        '--plain',
        'qd-build-*',
        'qd-prepare-*',
      )
    ).trim()
  }

  /** As the host counts: to be killed in the same instant. */
  agentPid(): number {
    const { leaderPid } = this.machine
    const children = textOf(`/proc/${leaderPid}/task/${leaderPid}/children`).trim().split(' ')
    const isAgent = (pid: string) => textOf(`/proc/${pid}/cmdline`).includes('\0agent\0--home\0')
    return Number(children.find(isAgent))
  }

  /** By a drop-in. */
  async agentSetting(name: string, directive: string): Promise<void> {
    const directory = '/etc/systemd/system/quarterdeck-agent.service.d'
    await this.machine.ok('mkdir', '--parents', directory)
    await this.machine.run('tee', [`${directory}/${name}.conf`], { input: `[Service]\n${directive}\n` })
    await this.machine.ok('systemctl', 'daemon-reload')
    await this.machine.ok('systemctl', 'restart', 'quarterdeck-agent.service')
  }
}

/** A remote inside the machine, with its clone beside. */
export async function remoteIn(machine: Machine, place: string): Promise<Remote> {
  const path = `${place}/remote.git`
  const clone = `${place}/clone`
  const git = (...args: string[]) =>
    machine.ok('git', '-C', clone, '-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', ...args)
  const write = async (file: string, text: string) => {
    await machine.ok('mkdir', '--parents', join(file, '..'))
    await machine.run('tee', [file], { input: text })
  }
  await machine.ok('mkdir', '--parents', clone)
  await machine.ok('git', 'init', '--quiet', '--bare', '--initial-branch=main', path)
  await git('init', '--quiet', '--initial-branch=main')
  return {
    path,
    async push(files) {
      for (const [name, text] of Object.entries(files)) {
        if (text === null) await machine.ok('rm', '--recursive', `${clone}/${name}`)
        else await write(`${clone}/${name}`, text)
      }
      await git('add', '--all')
      await git('commit', '--quiet', '--message', 'feat: change')
      await git('push', '--quiet', path, 'main')
      return (await git('rev-parse', 'HEAD')).trim()
    },
  }
}

const hasEntry = (file: string, entry: string) => textOf(file).includes(`{"entry":"${entry}"`)

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
