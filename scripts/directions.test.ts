/** The directions of imports are held by lint rules; this holds the rules: each must bite where it should, and only there. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inProject } from './project.mjs'

interface Probe {
  when: string
  file: string
  import: string
  /** The rule that must object; undefined: none. */
  rule?: string
}

const engine = "import { sqliteEngine as x } from './store/engines/sqlite/index.ts'"

const probes: Probe[] = [
  {
    when: 'a capability imports another past its index',
    file: 'control/src/audit/past-index.ts',
    import: "import { x } from '../events/events.ts'",
    rule: 'noRestrictedImports',
  },
  {
    when: 'a capability imports a file of control itself',
    file: 'control/src/audit/upwards.ts',
    import: "import { x } from '../config.ts'",
    rule: 'noRestrictedImports',
  },
  {
    when: 'a file deep in a capability leaves it',
    file: 'control/src/store/migrations/deep.ts',
    import: "import { x } from '../../config.ts'",
    rule: 'noRestrictedImports',
  },
  {
    when: 'an engine leaves its capability',
    file: 'control/src/store/engines/sqlite/deep.ts',
    import: "import { x } from '../../../config.ts'",
    rule: 'noRestrictedImports',
  },
  {
    when: 'a part of an engine leaves its capability',
    file: 'control/src/metrics/engines/embedded/promql/deep.ts',
    import: "import { x } from '../../../../config.ts'",
    rule: 'noRestrictedImports',
  },
  {
    when: 'hosts choose an engine',
    file: 'control/src/hosts.ts',
    import: engine,
    rule: 'noRestrictedImports',
  },
  {
    when: 'control imports the edge',
    file: 'control/src/to-edge.ts',
    import: "import { start as x } from '@quarterdeck/edge'",
    rule: 'noRestrictedImports',
  },
  {
    when: 'the edge imports control',
    file: 'edge/src/to-control.ts',
    import: "import { start as x } from '@quarterdeck/control'",
    rule: 'noRestrictedImports',
  },
  {
    when: 'control imports the agent',
    file: 'control/src/to-agent.ts',
    import: "import { start as x } from '@quarterdeck/agent'",
    rule: 'noRestrictedImports',
  },
  {
    when: 'the agent imports control',
    file: 'agent/src/to-control.ts',
    import: "import { start as x } from '@quarterdeck/control'",
    rule: 'noRestrictedImports',
  },
  {
    when: 'a part of the agent starts a program by itself',
    file: 'agent/src/units/spawning.ts',
    import: "import { spawn as x } from 'node:child_process'",
    rule: 'noRestrictedImports',
  },
  {
    when: 'the contract imports the kit',
    file: 'contract/src/to-kit.ts',
    import: "import { Kit as x } from '@quarterdeck/kit'",
    rule: 'noUndeclaredDependencies',
  },
  {
    when: 'the reader of metrics imports what it is for',
    file: 'metrics-text/src/to-control.ts',
    import: "import { start as x } from '@quarterdeck/control'",
    rule: 'noRestrictedImports',
  },
  {
    when: 'the reader of metrics imports the contract',
    file: 'metrics-text/src/to-contract.ts',
    import: "import { health as x } from '@quarterdeck/contract'",
    rule: 'noUndeclaredDependencies',
  },
  {
    when: 'the kit takes more than types from the contract',
    file: 'kit/src/values.ts',
    import: "import { health as x } from '@quarterdeck/contract'",
    rule: 'noUndeclaredDependencies',
  },
  {
    when: 'product code imports what is for tests',
    file: 'control/src/to-testing.ts',
    import: "import { until as x } from '@quarterdeck/testing'",
    rule: 'noUndeclaredDependencies',
  },
  {
    when: 'two files import each other',
    file: 'control/src/one.ts',
    import: "import { x } from './two.ts'",
    rule: 'noImportCycles',
  },
  {
    when: 'the runner starts a program',
    file: 'agent/src/runner.ts',
    import: "import { spawn as x } from 'node:child_process'",
  },
  { when: 'main.ts chooses an engine', file: 'control/src/main.ts', import: engine },
  { when: 'a test chooses an engine', file: 'control/src/some.test.ts', import: engine },
  {
    when: 'a capability uses another through its index',
    file: 'control/src/audit/by-index.ts',
    import: "import { Events as x } from '#events'",
  },
  {
    when: 'the kit takes types from the contract',
    file: 'kit/src/types.ts',
    import: "import type { Health as x } from '@quarterdeck/contract'",
  },
]

const rules = ['noRestrictedImports', 'noUndeclaredDependencies', 'noImportCycles']

let tree: string
let objections: Map<string, string[]>

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'qd-directions-'))
  copyFileSync(inProject('biome.json'), join(tree, 'biome.json'))
  for (const { file } of probes) {
    const manifest = `${file.split('/', 1)[0]}/package.json`
    write(manifest, readFileSync(inProject(manifest), 'utf8'))
  }
  for (const probe of probes) write(probe.file, `${probe.import}\nexport { x }\n`)
  write('control/src/two.ts', "import { x } from './one.ts'\nexport { x }\n")
  objections = lint()
})
afterAll(() => rmSync(tree, { recursive: true, force: true }))

test.each(probes.filter(probe => probe.rule))('the linter objects when $when', ({ file, rule }) => {
  expect(objections.get(file)).toContain(rule)
})

test.each(probes.filter(probe => !probe.rule))('the linter is content when $when', ({ file }) => {
  expect(objections.get(file)?.filter(rule => rules.includes(rule)) ?? []).toEqual([])
})

function write(file: string, text: string): void {
  mkdirSync(dirname(join(tree, file)), { recursive: true })
  writeFileSync(join(tree, file), text)
}

/** The names of the rules that object, by file. */
function lint(): Map<string, string[]> {
  const args = ['lint', '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=json']
  const { stdout } = spawnSync(inProject('node_modules/.bin/biome'), args, { cwd: tree, encoding: 'utf8' })
  const found = new Map<string, string[]>()
  for (const { category, location } of (JSON.parse(stdout) as Report).diagnostics) {
    const file = location?.path
    if (!file || !category?.startsWith('lint/')) continue
    found.set(file, [...(found.get(file) ?? []), category.split('/').at(-1)!])
  }
  return found
}

interface Report {
  diagnostics: { category?: string; location?: { path?: string } }[]
}
