import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

/** A process whose event loop is stuck after its first words, for so long or for good. */
function stuck(forMs: number, endMs: number | null) {
  const module = new URL('./supervisor.ts', import.meta.url).href
  const program = `
    const { supervise } = await import(${JSON.stringify(module)})
    const log = { error: (data, words) => console.error(JSON.stringify({ ...data, msg: words })) }
    supervise(log, { stuckMs: 300, endMs: ${endMs} })
    setTimeout(() => {
      const until = performance.now() + ${forMs}
      while (performance.now() < until);
      setTimeout(() => process.exit(0), 200)
    }, 200)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  return once(child, 'close').then(([code, signal]) => ({ code, signal, said }))
}

test('a loop that is stuck is said to be, while it is, and once it is not', async () => {
  const { code, said } = await stuck(1500, null)
  expect(code).toBe(0)
  expect(said.match(/event loop is stuck/g)).toHaveLength(1)
  expect(said).toMatch(/"stuck_ms":\d+,"msg":"the event loop was stuck"/)
})

test('one that does not come back is ended where it is started again', async () => {
  const { signal, said } = await stuck(20_000, 900)
  expect(signal).toBe('SIGKILL')
  expect(said).toContain('control ends itself')
})

test('one that beats is left alone', async () => {
  expect(await stuck(10, 900)).toMatchObject({ code: 0, said: '' })
})
