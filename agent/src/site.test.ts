import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FakeClock, temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { openCustody } from './custody.ts'
import { project } from './runtimes/under-test.ts'
import { Site } from './site.ts'

const sha = 'a'.repeat(40)

function newSite() {
  const home = temporaryDirectory()
  const site = () =>
    new Site(
      { home, agentHome: join(home, 'agent'), env: {}, custody: openCustody, clock: new FakeClock() },
      'shop',
    )
  mkdirSync(site().layout.root, { recursive: true })
  return site
}

test('what is remembered is added to what is known, and read by the next one', () => {
  const site = newSite()
  expect(site().state).toEqual({ put: null, proven: null, adopting: null })
  site().remember({ put: sha })
  const web = { name: 'web', start: ['python'], port: 8000, timer: null, socket: false }
  const proven = { sha, environment: 'e', variables: 'f'.repeat(32), project: project({ processes: [web] }) }
  site().remember({ proven })
  expect(site().state).toEqual({ put: sha, proven, adopting: null })
})

test('a file that is spoilt tells nothing, and can be written again', () => {
  const site = newSite()
  writeFileSync(join(site().layout.root, 'site.json'), '{"put": "no commit"}')
  expect(site().state).toEqual({ put: null, proven: null, adopting: null })
  site().remember({ put: sha })
  expect(site().state.put).toBe(sha)
})
