/** People look at the status page while a service fails and recovers, in a real browser. */
import { existsSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { temporaryDirectory, until } from '@quarterdeck/testing'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Environment, qd, up } from './environment.ts'

const program = '/usr/bin/chromium'
const axe = createRequire(import.meta.url).resolve('axe-core')
const limitMs = 60_000
let browser: Browser | undefined

beforeAll(async () => {
  if (!existsSync(program)) return
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run']
  browser = await chromium.launch({ executablePath: program, args })
})
afterAll(() => browser?.close())
beforeEach(context => {
  if (!browser) context.skip('Chromium is not installed (Debian: chromium)')
})

async function watchedShop(): Promise<{ environment: Environment; answer(status: number): void }> {
  const home = temporaryDirectory()
  writeFileSync(join(home, 'quarterdeck.yaml'), 'watch: { interval_s: 1, timeout_s: 0.8 }\n')
  let status = 200
  const server: Server = createServer((_request, response) => response.writeHead(status).end())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const environment = await up(home)
  const { port } = server.address() as AddressInfo
  const body = { id: 'shop', name: 'Shop', url: `http://127.0.0.1:${port}/`, interval_s: 5, timeout_s: 1 }
  expect((await environment.call('POST', '/api/services', body)).status).toBe(201)
  return {
    environment,
    answer(next) {
      status = next
    },
  }
}

interface Opened {
  page: Page
  complaints: string[]
}

/** A page whose complaints are kept; requests that go elsewhere are complaints, too. */
async function open(
  url: string,
  { width = 1280, dark = false, script = true, bypassCSP = false } = {},
): Promise<Opened> {
  const context = await browser!.newContext({
    ...{ viewport: { width, height: 800 }, colorScheme: dark ? 'dark' : 'light' },
    ...{ javaScriptEnabled: script, bypassCSP, timezoneId: 'America/New_York', locale: 'en-US' },
  })
  context.setDefaultTimeout(limitMs)
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  page.on('request', request => {
    if (new URL(request.url()).host !== new URL(url).host) complaints.push(request.url())
  })
  await page.goto(url)
  return { page, complaints }
}

const stateOf = (page: Page, id = 'shop') => page.locator(`#${id}`).getAttribute('data-status')

const becomes = (page: Page, wanted: string) =>
  until(`the page shows ${wanted}`, async () => (await stateOf(page)) === wanted, limitMs)

test('a service goes red and green on a page that nobody reloads; so do incidents', async () => {
  const { environment, answer } = await watchedShop()
  const url = `http://status.localhost:${environment.port}/`
  const { page, complaints } = await open(url)
  await until('it is live', async () => (await page.locator('#live').textContent()) === 'Live', limitMs)
  await until('the row is there', async () => (await page.locator('#shop').count()) === 1, limitMs)
  await becomes(page, 'operational')
  await page.evaluate('globalThis.sameDocument = true')
  answer(503)
  await becomes(page, 'outage')
  expect(await page.locator('#shop .state').textContent()).toContain('Down')
  expect(await page.locator('#shop .reason').textContent()).toBe('It answers 503, not 200-299.')
  await until('the headline says it', async () => (await page.locator('h1').textContent()) === 'Shop is down')
  const message = 'We are **looking** into it.'
  const home = ['--home', environment.home]
  const opened = await qd(
    'incident',
    'open',
    'Shop is away',
    '--message',
    message,
    '--service',
    'shop',
    ...home,
  )
  expect(opened.code).toBe(0)
  await page.locator('#notices strong', { hasText: 'looking' }).waitFor()
  answer(200)
  await becomes(page, 'operational')
  expect((await qd('incident', 'resolve', ...home)).code).toBe(0)
  await until(
    'it is gone from above',
    async () => (await page.locator('#notices article').count()) === 0,
    limitMs,
  )
  expect(await page.evaluate('globalThis.sameDocument')).toBe(true)
  expect(complaints).toEqual([])
})

test.each([
  ['light', 1280],
  ['dark', 360],
] as const)('every page is accessible and fits (%s, %i wide)', async (scheme, width) => {
  const { environment } = await watchedShop()
  const body = { name: 'Slow', body: 'See [here](https://example.com).', service_ids: ['shop'] }
  await until(
    'it is watched',
    async () => (await environment.call('POST', '/api/incidents', body)).status === 201,
    limitMs,
  )
  for (const path of ['/', '/services/shop', '/history']) {
    const url = `http://status.localhost:${environment.port}${path}`
    // Axe is put in by the test itself, which the pages' own policy rightly forbids.
    const { page, complaints } = await open(url, { width, dark: scheme === 'dark', bypassCSP: true })
    if (path !== '/history') await page.locator('[role=slider]').first().waitFor()
    await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
    await page.addScriptTag({ path: axe })
    const { violations } = (await page.evaluate('axe.run()')) as {
      violations: { id: string; nodes: { html: string }[] }[]
    }
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect([path, complaints]).toEqual([path, []])
  }
})

test('the keyboard reaches every day, and times are the reader’s with UTC at hand', async () => {
  const { environment } = await watchedShop()
  const { page } = await open(`http://status.localhost:${environment.port}/`)
  const bars = page.locator('#shop .bars[role=slider]')
  await until('the row is there', async () => (await bars.count()) === 1, limitMs)
  await page.locator('#shop h3 a').focus()
  await page.keyboard.press('Tab')
  expect(await page.evaluate("document.activeElement === document.querySelector('#shop .bars')")).toBe(true)
  const today = await bars.getAttribute('aria-valuetext')
  await page.keyboard.press('ArrowLeft')
  expect(await bars.getAttribute('aria-valuetext')).not.toBe(today)
  expect(await page.locator('#shop .tip').textContent()).toContain('Unknown')
  await page.keyboard.press('Escape')
  expect(await page.locator('#shop .tip').count()).toBe(0)
  await bars.dispatchEvent('pointerdown', { pointerType: 'touch', clientX: 0 })
  expect(await page.locator('#shop .tip').count()).toBe(1)
  const time = page.locator('#overall time')
  expect(await time.getAttribute('title')).toMatch(/ UTC$/)
  expect(await time.textContent()).toMatch(/[AP]M$/)
})

test('without JavaScript everything is there', async () => {
  const { environment } = await watchedShop()
  await until(
    'it is seen',
    async () => (await environment.ask('status.localhost', '/')).text.includes('id="shop"'),
    limitMs,
  )
  const { page } = await open(`http://status.localhost:${environment.port}/`, { script: false })
  expect(await page.locator('#shop h3').textContent()).toBe('Shop')
  await page.locator('#shop summary').click()
  expect(await page.locator('#shop tbody tr').count()).toBeGreaterThan(0)
  await page.locator('#shop h3 a').click()
  await page.waitForURL('**/services/shop')
  expect(await page.locator('h1').textContent()).toBe('Shop')
})
