/**
 * Builds the kit for users: JavaScript with types, and a package.json that names them, in kit/dist or the directory
 * given. `npm pack` there makes the tarball. (In this repository the kit runs from its source.)
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const kit = import.meta.dirname
const target = resolve(process.argv[2] ?? join(kit, 'dist'))

rmSync(target, { recursive: true, force: true })
const tsc = join(kit, '../node_modules/typescript/bin/tsc')
execFileSync(process.execPath, [tsc, '--project', join(kit, 'tsconfig.build.json'), '--outDir', target], {
  stdio: 'inherit',
})

const { name, version, license, type, exports, dependencies, peerDependencies, peerDependenciesMeta } =
  JSON.parse(readFileSync(join(kit, 'package.json'), 'utf8'))
const manifest = {
  name,
  version,
  description: 'Health, readiness, version, metrics and a graceful stop for a Node service, in one line.',
  license,
  type,
  engines: { node: '>=22' },
  exports: Object.fromEntries(
    Object.entries<string>(exports).map(([path, source]) => [path, builtFrom(source)]),
  ),
  dependencies,
  peerDependencies,
  peerDependenciesMeta,
}
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
copyFileSync(join(kit, 'README.md'), join(target, 'README.md'))
copyFileSync(join(kit, '../LICENSE'), join(target, 'LICENSE'))

function builtFrom(source: string): { types: string; default: string } {
  const file = source.replace('./src/', './').replace(/\.ts$/, '')
  return { types: `${file}.d.ts`, default: `${file}.js` }
}
