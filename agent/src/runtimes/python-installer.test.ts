import { chmodSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@quarterdeck/testing'
import { beforeEach, expect, test } from 'vitest'
import { path, pythonMissing, pythonProject, writeFiles } from './under-test.ts'

beforeEach(context => {
  if (pythonMissing) context.skip(pythonMissing)
})

/** uv itself cannot be had here: this one notes what it is told and lets Python do it. */
const uv = `#!/bin/sh
echo "$@" >> "$UV_CACHE_DIR.log"
if [ "$1" = venv ]; then exec "$3" -m venv --without-pip "$4"; fi
case "$(cat requirements.txt)" in
  *nosuch*) printf '  × No solution found when resolving dependencies:\\n  ╰─▶ Because nosuch was not found' >&2; exit 1 ;;
esac
`

const withUv = (text: string, configuration: string[] = []) => {
  const directory = temporaryDirectory()
  writeFiles(directory, { 'bin/uv': uv, 'home/cache/.keep': '' })
  chmodSync(join(directory, 'bin/uv'), 0o755)
  const env = {
    PATH: `${join(directory, 'bin')}:${path}`,
    PIP_INDEX_URL: 'https://index.test/simple',
    PIP_FIND_LINKS: '/wheels /more',
  }
  const home = join(directory, 'home')
  const made = pythonProject({ 'requirements.txt': text }, { env, home, pipConfiguration: configuration })
  return { ...made, log: () => readFileSync(join(home, 'cache/uv.log'), 'utf8').trim().split('\n') }
}

test('uv is used where it is, and told of the index', async () => {
  const { build, log, environment } = withUv('told')
  const { interpreter } = await build()
  expect(log()).toEqual([
    `venv --python ${interpreter.path} ${environment}`,
    `pip install --python ${environment}/bin/python --compile-bytecode --no-index --find-links /wheels ` +
      '--find-links /more --index-url https://index.test/simple -r requirements.txt',
  ])
})

test('uv’s complaint becomes the sentence', async () => {
  await expect(withUv('nosuch').build()).rejects.toMatchObject({
    code: 'install_failed',
    message: expect.stringMatching(/No solution found.*Because nosuch was not found/),
  })
})

test('uv is left aside where pip is configured by files that it would not read', async () => {
  const file = join(temporaryDirectory(), 'pip.conf')
  writeFiles(join(file, '..'), { 'pip.conf': '[global]\n' })
  const { build, programs } = withUv('', [file])
  await build()
  expect(programs.some(program => program.file.endsWith('/uv'))).toBe(false)
})
