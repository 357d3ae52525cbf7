/**
 * Builds the kit for users: JavaScript with types, and a package.json that names them, in kit/dist or the directory
 * given. `npm pack` there makes the tarball. What the kit depends on is in it, so that a project can vendor that one file
 * and installs without a registry. (In this repository the kit runs from its source.)
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join, resolve } from 'node:path'

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
  bundleDependencies: Object.keys(dependencies),
  peerDependencies,
  peerDependenciesMeta,
}
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
copyFileSync(join(kit, 'README.md'), join(target, 'README.md'))
copyFileSync(join(kit, '../LICENSE'), join(target, 'LICENSE'))
bundle(Object.keys(dependencies), join(kit, 'package.json'))

function builtFrom(source: string): { types: string; default: string } {
  const file = source.replace('./src/', './').replace(/\.ts$/, '')
  return { types: `${file}.d.ts`, default: `${file}.js` }
}

/** Copies packages and theirs beside one another, without what only their authors use. */
function bundle(names: string[], from: string): void {
  for (const name of names) {
    const file = findPackageJSON(name, from)
    if (!file) throw new Error(`${name} is not installed: run npm install.`)
    const source = dirname(file)
    const filter = (path: string) => !/\/(test|docs|node_modules)$|\.map$/.test(path.slice(source.length))
    cpSync(source, join(target, 'node_modules', name), { recursive: true, filter })
    bundle(Object.keys(JSON.parse(readFileSync(file, 'utf8')).dependencies ?? {}), file)
  }
}
