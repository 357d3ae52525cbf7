import { expect, test } from 'vitest'
import { scanHostKeys } from '../commands/ssh.ts'
import { keysIn } from './host-keys.ts'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

test('of what a host says only keys are taken, each once', () => {
  const said = [
    '# github.com:22 SSH-2.0-babeld',
    `github.com ${key}`,
    `[github.com]:2222 ${key}`,
    'github.com ssh-evil AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl',
    'github.com ssh-ed25519 not-a-key',
    '@cert-authority * ssh-ed25519',
    '',
  ]
  expect(keysIn(said.join('\n'))).toEqual([key])
})

test('a host stands where it is never taken for an option', () => {
  const { args } = scanHostKeys('git.example.com', 2222)
  expect(args.slice(-2)).toEqual(['--', 'git.example.com'])
})
