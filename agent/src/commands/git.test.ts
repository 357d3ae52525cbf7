import { expect, test } from 'vitest'
import * as git from './git.ts'
import { gitEnvironment } from './git-call.ts'

const env = gitEnvironment('/agent', {
  PATH: '/bin',
  https_proxy: 'http://proxy',
  GIT_DIR: '/evil',
  SECRET: 'x',
  LANG: 'de',
})
const place = { work: '/srv/work', env }
const sha = 'a'.repeat(40)
const source = { git_url: '--upload-pack=evil', branch: 'main' }

const programs = {
  clone: git.clone(place, source, '/srv/work.new'),
  fetch: git.fetch(place, source),
  objectsBeginningWith: git.objectsBeginningWith(place, 'abcdef1'),
  lookUp: git.lookUp(place, ['HEAD', sha]),
  status: git.status(place),
  isAncestor: git.isAncestor(place, sha, sha),
  changedFiles: git.changedFiles(place, sha, sha),
  ownCommits: git.ownCommits(place, [sha], sha, { limit: 6 }),
  directories: git.directories(place, sha),
  fastForward: git.fastForward(place, sha),
  moveBranch: git.moveBranch(place, 'main', sha),
  emptyWorkCopy: git.emptyWorkCopy(place, sha),
  removeRef: git.removeRef(place, 'refs/heads/main'),
  layOut: git.layOut(place, sha, '/srv/release', '/srv/index'),
  checkConnectivity: git.checkConnectivity(place),
  collectGarbage: git.collectGarbage(place),
}

test.each(Object.entries(programs))('%s takes nobody’s settings, hooks, helpers or prompts', (_, program) => {
  expect(program.file).toBe('git')
  for (const setting of [
    'core.hooksPath=/dev/null',
    'core.fsmonitor=false',
    'credential.helper=',
    'protocol.allow=never',
  ]) {
    expect(program.args[program.args.indexOf(setting) - 1]).toBe('-c')
  }
  expect(program.env).toMatchObject({
    HOME: '/agent',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    PATH: '/bin',
  })
  expect(program.env).not.toHaveProperty('SECRET')
  expect(program.env.GIT_DIR).not.toBe('/evil')
})

test('an address stands behind --end-of-options', () => {
  for (const { args } of [programs.clone, programs.fetch]) {
    expect(args.indexOf('--end-of-options')).toBeGreaterThan(0)
    expect(args.indexOf(source.git_url)).toBe(args.indexOf('--end-of-options') + 1)
  }
})

test('nothing but a whole commit id passes for a commit', () => {
  for (const not of ['main', '--help', 'abcdef1', `${sha}^`, `${sha}\n`, sha.toUpperCase(), '']) {
    expect(() => git.fastForward(place, not)).toThrow('not a whole commit id')
    expect(() => git.moveBranch(place, 'main', not)).toThrow('not a whole commit id')
    expect(() => git.layOut(place, not, '/a', '/b')).toThrow('not a whole commit id')
    expect(() => git.changedFiles(place, sha, not)).toThrow('not a whole commit id')
  }
  for (const not of ['abc', 'HEAD', '-abcdef', 'abcdef1 x'])
    expect(() => git.objectsBeginningWith(place, not)).toThrow()
})

test('the way to the network is passed on, the rest of the agent’s environment is not', () => {
  expect(env).toMatchObject({ https_proxy: 'http://proxy', LC_ALL: 'C.UTF-8' })
  expect(env).not.toHaveProperty('LANG')
})
