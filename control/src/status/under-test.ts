/** The parts of the status host for tests, on services that tell how they are and a clock that stands still. */
import { join } from 'node:path'
import { serviceHistoryDocument, statusDocument } from '@quarterdeck/contract'
import { FakeClock, memoryLog, temporaryDirectory } from '@quarterdeck/testing'
import { onTestFinished } from 'vitest'
import { Events } from '#events'
import { type Engine, Store } from '#store'
import { History, type MonitoredService, Watch } from '#watch'
import { Charts } from './charts.ts'
import { Editions } from './editions.ts'
import { Entries } from './entries.ts'
import { Live } from './live.ts'
import { Notices } from './notices.ts'
import { Rows } from './page/rows.ts'
import { Pages } from './pages.ts'
import { serviceJson } from './service-json.ts'
import { StatusJson, type StatusOptions } from './status-json.ts'

export const interval = 15

export type Told = 'up' | 'down' | 'unknown'

/** `engineOf`: what the database in a file is opened with. */
export async function begin(
  engineOf: (file: string) => Engine,
  timeZone = 'UTC',
  at = '2026-03-01T00:00:00Z',
) {
  const clock = new FakeClock(at)
  const home = temporaryDirectory()
  const file = join(home, 'database.sqlite')
  const { log, lines } = memoryLog()
  const page = { name: 'Acme', url: 'https://status.example.com', environment: 'example.com' }
  const open = async () => {
    const store = await Store.open(engineOf(file))
    const events = new Events(store, clock)
    const history = await History.open({ store, events, clock, log, intervalS: interval })
    const restarts = { isUnderWay: () => false }
    const watch = new Watch({ clock, log, history, restarts, intervalMs: 15_000, timeoutMs: 1000 })
    const seconds = () => Math.floor(clock.now().getTime() / 1000)
    const observer = () => ({ ok: true, engine: 'embedded' as const, ...history.observer(seconds()) })
    const notices = new Notices(clock, timeZone)
    notices.onChange(() => watch.maintain(notices.maintained))
    const entries = new Entries({ watch, history, clock, url: page.url })
    const editions = new Editions({ watch, notices, clock })
    const presence = { isThere: true }
    const options: StatusOptions = {
      ...{ watch, history, clock, page, observer, notices, entries, editions, timeZone },
      homeUrl: 'https://example.com',
      isStoreThere: () => presence.isThere,
    }
    const json = new StatusJson(options)
    const set = (state: Told, id = 'hello', group = 'production', name = 'Hello'): MonitoredService => {
      const reason = state === 'down' ? ({ code: 'timeout', message: 'It does not answer.' } as const) : null
      const condition = { state, since: seconds(), reason }
      return {
        ...{ id, name, group, description: null, kind: 'project', dependsOn: [], site: null, runbook: null },
        ...{ deployedAt: null, instances: [{ id, machine: null, kind: 'told', condition }] },
      }
    }
    const read = (group?: string) => statusDocument.schema.parse(JSON.parse(`${json.get(group)!.bytes}`))
    const history90 = (id = 'hello') =>
      serviceHistoryDocument.schema.parse(JSON.parse(`${serviceJson(id, options)!.bytes}`))
    const stop = async () => {
      await history.stop()
      await store.close()
    }
    /** Somebody watches all the time. */
    const pass = (s: number) => {
      for (let left = s; left > 0; left -= 5) {
        clock.advance(Math.min(5, left) * 1000)
        history.tick()
      }
    }
    return { store, events, watch, json, options, notices, presence, set, read, history90, stop, pass }
  }
  return { clock, open, home, log, lines }
}

/** With pages made from it, until the test ends. */
export async function pagesUnderTest(engineOf: (file: string) => Engine, timeZone?: string, at?: string) {
  const { open, clock } = await begin(engineOf, timeZone, at)
  const parts = await open()
  onTestFinished(parts.stop)
  const { options, json: status, store } = parts
  const rows = new Rows(options)
  const live = new Live()
  const charts = new Charts(options, store, memoryLog().log)
  return { ...parts, clock, rows, live, pages: new Pages({ options, status, rows, charts, live }) }
}

export const textOf = ({ bytes }: { bytes: Buffer }): string => `${bytes}`
