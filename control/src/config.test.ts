import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '@quarterdeck/contract'
import { temporaryDirectory } from '@quarterdeck/testing'
import { expect, test } from 'vitest'
import { addresses } from './addresses.ts'
import { type Config, loadConfig } from './config.ts'

function load(yaml: string, port?: number): Config {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'quarterdeck.yaml'), yaml)
  return loadConfig({ home, port })
}

function mistake(yaml: string): string {
  try {
    load(yaml)
  } catch (error) {
    expect(error).toBeInstanceOf(Fault)
    expect((error as Fault).code).toBe('config_invalid')
    return (error as Fault).message.replace(/^.*quarterdeck\.yaml/, 'quarterdeck.yaml')
  }
  throw new Error('It was accepted.')
}

test('without a file, and with an empty one, every option has its default', () => {
  const home = temporaryDirectory()
  const config = loadConfig({ home })
  expect(config).toEqual({ ...load(''), home })
  expect(config).toMatchObject({
    domain: 'localhost',
    listen: { address: '0.0.0.0', port: 8300 },
    trusted_proxies: [],
    database: { engine: 'sqlite' },
    limits: { body_bytes: 1024 * 1024, headers_s: 10, bad_tokens_per_minute: 20 },
  })
})

test('the command line goes before the file', () => {
  expect(load('listen: {port: 9000}').listen.port).toBe(9000)
  expect(load('listen: {port: 9000}', 0).listen.port).toBe(0)
})

test.each([
  [
    'an unknown key',
    'domian: example.com',
    'quarterdeck.yaml: domian (line 1) is not an option (did you mean domain?).',
  ],
  [
    'an unknown key further in',
    'listen:\n  prot: 80',
    'quarterdeck.yaml: listen.prot (line 2) is not an option (did you mean port?).',
  ],
  [
    'a wrong type',
    'listen:\n\n  port: "80"',
    'quarterdeck.yaml: listen.port (line 3) must be number, not "80".',
  ],
  [
    'a value out of range',
    'listen: {port: 70000}',
    'quarterdeck.yaml: listen.port (line 1) must be <=65535, not 70000.',
  ],
  [
    'a value that is none of the choices',
    'public: {scheme: ftp}',
    'public.scheme (line 1) must be one of "http"|"https", not "ftp".',
  ],
  [
    'a malformed domain',
    'domain: Example.com/',
    'domain (line 1) must be a domain name in lower case, such as example.com, not "Example.com/".',
  ],
  [
    'a malformed network',
    'trusted_proxies: [10.0.0.0/8, 10.0.0.0/40]',
    'trusted_proxies.1 (line 1) must be an address or network',
  ],
  [
    'an unknown engine',
    'database: {engine: oracle}',
    'database.engine (line 1) must name an engine: sqlite, or postgres with a url',
  ],
  [
    'a Prometheus that nobody says where to find',
    'metrics: {engine: prometheus}',
    'metrics (line 1) must be given a url or a program',
  ],
  [
    'a Prometheus in two places',
    'metrics: {engine: prometheus, url: "http://p:9090", program: true}',
    'metrics (line 1) must be given a url or a program, not both',
  ],
  ['an address for the embedded engine', 'metrics: {url: "http://p:9090"}', 'neither with the embedded one'],
  [
    'a program that is no path',
    'metrics: {engine: prometheus, program: prom}',
    'metrics.program (line 1) must',
  ],
  ['PostgreSQL without an address', 'database: {engine: postgres}', 'database.url must be'],
  ['a file that is a list', '- a', 'the file (line 1) must be object'],
])('%s is refused, with its place, what was expected and what was found', (_what, yaml, message) => {
  expect(mistake(yaml)).toContain(message)
})

test('all mistakes are told at once', () => {
  const message = mistake('domian: a\nlisten: {port: x}\nlimits: {stop_s: -1}')
  for (const key of ['domian', 'listen.port', 'limits.stop_s']) expect(message).toContain(key)
})

test('broken YAML is refused with line and column', () => {
  expect(mistake('listen:\n  port: [1')).toMatch(/^quarterdeck\.yaml:2:\d+ is not valid YAML/)
})

test('a password in a database address is never repeated', () => {
  expect(mistake('database: {engine: postgres, url: "mysql://u:geheim@h/d"}')).not.toContain('geheim')
})

test('a configuration that was named must exist', () => {
  expect(() => loadConfig({ home: '/nowhere', file: '/nowhere/else.yaml' })).toThrow(
    '/nowhere/else.yaml cannot be read (ENOENT).',
  )
})

test.each([
  ['', 'http://docs.localhost:8300'],
  ['domain: example.com', 'https://docs.example.com'],
  ['domain: example.com\npublic: {port: 8443}', 'https://docs.example.com:8443'],
  ['domain: example.com\npublic: {scheme: http, port: 80}', 'http://docs.example.com'],
  ['public: {scheme: https}', 'https://docs.localhost:8300'],
])('the configuration %j is reached at %s', (yaml, url) => {
  expect(addresses(load(yaml)).url('docs')).toBe(url)
})
