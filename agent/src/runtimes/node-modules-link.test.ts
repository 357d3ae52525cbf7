import { chmodSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { json, nodeProject, npmMissing } from './node-under-test.ts'
import { tarball } from './npm-registry-under-test.ts'
import { writeFiles } from './under-test.ts'

const told = (version: string) => tarball({ name: 'told', version })

test('workspaces run from the release, with the packages of the environment, before and after a change', async context => {
  if (npmMissing) context.skip(npmMissing)
  const { build, say, release, layout, runtime, plan } = nodeProject({
    'package.json': json({ workspaces: ['packages/*'], dependencies: { told: 'file:vendor/one.tgz' } }),
    'packages/web/package.json': json({
      name: '@shop/web',
      version: '1.0.0',
      dependencies: { '@shop/core': '*' },
    }),
    'packages/web/cli.js': '#!/usr/bin/env node\nconsole.log("shop", require("@shop/core"))',
    'packages/web/server.mjs':
      'import core from "@shop/core"\nimport told from "told"\nconsole.log(core, told)',
    'packages/core/package.json': json({
      name: '@shop/core',
      version: '1.0.0',
      dependencies: { told: 'file:../../vendor/two.tgz' },
    }),
    'packages/core/index.js': 'module.exports = __dirname + " " + require("told")',
    'vendor/one.tgz': told('1.0.0'),
    'vendor/two.tgz': told('2.0.0'),
  })
  chmodSync(join(release, 'packages/web/cli.js'), 0o755)
  const { environment, plan: first } = await build()
  const core = join(realpathSync(release), 'packages/core')
  expect(await say(environment, 'node', 'packages/web/server.mjs')).toBe(`${core} 2.0.0 1.0.0`)
  expect(await say(environment, 'packages/web/cli.js')).toBe(`shop ${core} 2.0.0`)
  writeFiles(release, { 'packages/core/index.js': 'module.exports = "changed"' })
  expect((await plan()).hash).toBe(first.hash)
  await runtime.attach(release, layout.environment(first.hash))
  expect(await say(environment, 'node', 'packages/web/server.mjs')).toBe('changed 1.0.0')
})
