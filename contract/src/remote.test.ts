import { expect, test } from 'vitest'
import { knownHostName, remoteOf } from './remote.ts'

test.each([
  ['git@github.com:acme/hello.git', 'github.com'],
  ['ssh://git@Git.Example.com/acme/hello.git', 'git.example.com'],
  ['ssh://git.example.com:2222/acme/hello.git', '[git.example.com]:2222'],
  ['ssh://git@git.example.com:22/acme/hello.git', 'git.example.com'],
  ['ssh://git@[::1]:2222/hello.git', '[::1]:2222'],
])('%s is reached by ssh, and its host known as %s', (url, name) => {
  const remote = remoteOf(url)
  expect(remote?.kind === 'ssh' && knownHostName(remote)).toBe(name)
})

test.each([
  ['https://github.com/acme/hello.git', 'https://github.com/', true],
  ['https://me@git.example.com:443/hello.git', 'https://git.example.com/', true],
  ['https://git.example.com:8443/hello.git', 'https://git.example.com:8443/', true],
  ['http://127.0.0.1:3000/hello.git', 'http://127.0.0.1:3000/', true],
  ['http://localhost:3000/hello.git', 'http://localhost:3000/', true],
  ['http://git.example.com/hello.git', 'http://git.example.com/', false],
  ['http://127.0.0.1.example.com/hello.git', 'http://127.0.0.1.example.com/', false],
])('%s is a remote at %s, safe for a token: %s', (url, address, isSafe) => {
  expect(remoteOf(url)).toEqual({ kind: 'https', url: address, isSafe })
})

test.each([
  '/srv/git/hello.git',
  'file:///srv/git/hello.git',
  'git://git.example.com/hello.git',
  'ssh://git@-oProxyCommand=evil/x',
  'ssh://git@a,b/x',
  'ssh://git@*/x',
  'ssh://git@ex%61mple.com/x',
])('%s has neither host keys nor a token', url => {
  expect(remoteOf(url)).toBeNull()
})
