import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allowedDirectives } from './own-unit-directives.ts'
import { mergeOwnUnit, readOwnUnit } from './own-unit-file.ts'
import type { UnitStart } from './unit-engine.ts'
import type { Section } from './unit-file.ts'

const file = 'deploy/hello.service'
const read = (text: string) => Object.fromEntries(readOwnUnit(file, text))

test('what is allowed is taken over, with commands and variables written anew', () => {
  const text = [
    '# ours',
    '[Unit]',
    'Description=Hello',
    '[Service]',
    "ExecStart = /usr/bin/gunicorn --bind 0.0.0.0:$PORT 'two words' app",
    'Environment=MODE=fast "NAME=two words"',
    'MemoryMax=512M\r',
    '\tTimeoutStopSec=20s',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n')
  expect(read(text)).toEqual({
    Service: [
      ['ExecStart', '/usr/bin/gunicorn "--bind" "0.0.0.0:$PORT" "two words" "app"'],
      ['Environment', '"MODE=fast" "NAME=two words"'],
      ['MemoryMax', '512M'],
      ['TimeoutStopSec', '20s'],
    ],
  })
})

test('it takes the place of ours, the last one counts, and variables are added', () => {
  const ours: Section[] = [
    {
      name: 'Service',
      directives: [
        ['User', 'qd-hello'],
        ['ExecStart', ':/bin/ours'],
        ['Environment', '"A=1"'],
        ['MemoryMax', '2G'],
      ],
    },
  ]
  const text = '[Service]\nMemoryMax=1M\nMemoryMax=3M\nNice=5\nEnvironment=A=2\nExecStart=/bin/theirs\n'
  expect(mergeOwnUnit(ours, { ownUnit: { file, text } } as UnitStart)[0]?.directives).toEqual([
    ['User', 'qd-hello'],
    ['ExecStart', '/bin/theirs'],
    ['Environment', '"A=1"'],
    ['MemoryMax', '3M'],
    ['Nice', '5'],
    ['Environment', '"A=2"'],
  ])
})

const refused: [text: string, why: string][] = [
  ['User=root', 'User= is not allowed in [Service]'],
  ['Group=root', 'Group= is not allowed in [Service]'],
  ['user=root', 'user= is not allowed in [Service]'],
  ['ExecStartPre=/bin/true', 'ExecStartPre= is not allowed in [Service]'],
  ...['+', '!', '!!', '@', '-', ':', '|', '-+', '"+'].map((prefix): [string, string] => [
    `ExecStart=${prefix}/bin/sh${prefix.startsWith('"') ? '"' : ''}`,
    'ExecStart= must begin with the absolute path of a program, without + ! @ - : before it',
  ]),
  ['ExecStart=sh', 'ExecStart= must begin with the absolute path'],
  ['ExecStart=', 'ExecStart= must begin with the absolute path'],
  ['ExecStart=/bin/a ; /bin/b', 'ExecStart= takes one command'],
  ['ExecStart=/bin/$X', 'ExecStart= must name its program without variables'],
  ['ExecStart=/bin/sh %h', 'ExecStart= must not hold \\ or %'],
  ['ExecStart=/bin/sh "a', 'ExecStart= has a quote that does not stand around a whole word'],
  ['CapabilityBoundingSet=~', 'CapabilityBoundingSet= is not allowed'],
  ['AmbientCapabilities=CAP_SYS_ADMIN', 'AmbientCapabilities= is not allowed'],
  ['ReadWritePaths=/etc', 'ReadWritePaths= is not allowed'],
  ['BindPaths=/', 'BindPaths= is not allowed'],
  ['EnvironmentFile=/etc/shadow', 'EnvironmentFile= is not allowed'],
  ['LoadCredential=a:/etc/shadow', 'LoadCredential= is not allowed'],
  ['.include /etc/x', 'it is no directive'],
  ['MemoryMax=1G\\', 'lines that go on in the next one are not allowed'],
  ['# comment \\', 'lines that go on in the next one are not allowed'],
  ['MemoryMax=1G\u2028User=root', 'it holds a control character'],
  ['MemoryMax=1G\rUser=root', 'it holds a control character'],
  ['MemoryMax=1G\u0000', 'it holds a control character'],
  ['MemoryMax=', 'MemoryMax= is not allowed'],
  ['Nice=-20', 'Nice=-20 is not allowed'],
  ['OOMScoreAdjust=-1000', 'OOMScoreAdjust=-1000 is not allowed'],
  ['Environment=LD_PRELOAD=/x', 'LD_PRELOAD is set by Quarterdeck'],
  ['Environment=PORT=1', 'PORT is set by Quarterdeck'],
  ['Environment="QUARTERDECK_SHA=1"', 'QUARTERDECK_SHA is set by Quarterdeck'],
  ['Environment=', 'Environment= takes NAME=value'],
  ['toString=x', 'toString= is not allowed'],
  ['[Service] User=root', 'the section [Service] User=root is not allowed'],
  ['[X-Mine]', 'the section [X-Mine] is not allowed'],
  ['[__proto__]', 'the section [__proto__] is not allowed'],
  ['[Socket]', 'the section [Socket] is not allowed'],
]
for (const [text, why] of refused) {
  test(`refused by file, line and directive: ${JSON.stringify(text)}`, () => {
    expect(() => read(`[Service]\nNice=1\n${text}\n`)).toThrow(`${file}, line 3: ${why}`)
  })
}

test('a directive before any section and a file that is too long are refused', () => {
  expect(() => read('Nice=1')).toThrow(`${file}, line 1: Nice= is not allowed before a section`)
  expect(() => read('#'.repeat(70_000))).toThrow('is longer than 64 KiB')
})

test('whatever is brought: only allowed directives come out, in one line each, and never a prefix', () => {
  const keys = fc.constantFrom(
    'User',
    'ExecStart',
    'ExecReload',
    'Environment',
    'MemoryMax',
    'Nice',
    '[Service]',
  )
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('\n', '\\\n', '\r', '+', '/bin/sh', '"', '=', '%', 'A=b'),
  )
  const line = fc
    .tuple(keys, fc.array(piece, { maxLength: 6 }))
    .map(([key, rest]) => `${key}=${rest.join('')}`)
  const text = fc.array(line, { maxLength: 6 }).map(lines => `[Service]\n${lines.join('\n')}`)
  const known = new Set(Object.keys(allowedDirectives.Service))
  fc.assert(
    fc.property(text, input => {
      let taken: ReturnType<typeof readOwnUnit>
      try {
        taken = readOwnUnit(file, input)
      } catch (error) {
        expect(error).toMatchObject({ code: 'restart_failed' })
        return
      }
      for (const [name, value] of taken.get('Service') ?? []) {
        expect(known.has(name)).toBe(true)
        expect(value).toMatch(/^[^\p{Cc}\\\u2028\u2029]+$/u)
        if (name.startsWith('Exec')) expect(value).toMatch(/^\//)
      }
    }),
    { numRuns: 2000 },
  )
})
