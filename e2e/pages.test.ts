/** People look at the pages, in a real browser. */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { temporaryDirectory } from '@quarterdeck/testing'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { up } from './environment.ts'

const program = '/usr/bin/chromium'
const axe = createRequire(import.meta.url).resolve('axe-core')
/** A slow machine’s; the browser’s own limit is 30 s. */
const patienceMs = 90_000
let browser: Browser | undefined

beforeAll(async () => {
  if (!existsSync(program)) return
  browser = await chromium.launch({
    executablePath: program,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  })
})
afterAll(() => browser?.close())
beforeEach(context => {
  if (!browser) context.skip('Chromium is not installed (Debian: chromium)')
})

/** A page whose complaints are kept. */
async function open(
  url: string,
  size = { width: 1280, height: 800 },
  colorScheme: 'light' | 'dark' = 'light',
) {
  // Axe is put in by the test itself, which the pages' own policy rightly forbids.
  const context = await browser!.newContext({ viewport: size, colorScheme, bypassCSP: true })
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  page.on('pageerror', error => complaints.push(error.message))
  page.on('requestfailed', request => complaints.push(request.url()))
  const response = await page.goto(url)
  return { page, complaints, status: response?.status(), close: () => context.close() }
}

async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: axe })
  const { violations } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(', ')}`)
}

test.each([
  ['light', { width: 1280, height: 800 }],
  ['dark', { width: 360, height: 640 }],
] as const)('every page is accessible, fits and complains of nothing (%s)', async (scheme, size) => {
  const { port } = await up(temporaryDirectory())
  const pages = [
    'localhost',
    'admin.localhost',
    'status.localhost',
    'docs.localhost',
    'auth.localhost',
    'metrics.localhost',
  ]
  for (const host of pages) {
    const { page, complaints, status, close } = await open(`http://${host}:${port}/`, size, scheme)
    expect([host, status, complaints]).toEqual([host, 200, []])
    expect([host, await violations(page)]).toEqual([host, []])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await close()
  }
})

test('the front page leads to every host, and each back to it', async () => {
  const { port } = await up(temporaryDirectory())
  const { page, close } = await open(`http://localhost:${port}/`)
  const links = await page
    .locator('main a')
    .evaluateAll(anchors => anchors.map(anchor => (anchor as unknown as { href: string }).href))
  expect(links).toHaveLength(5)
  for (const link of links) {
    await page.goto(link)
    await page.locator('header a').first().click()
    await page.waitForURL(`http://localhost:${port}/`)
  }
  expect(await page.locator('.state.good').count()).toBe(5)
  await close()
})

test('an error is a page that says what to do, under the policy that forbids everything else', async () => {
  const { port, ask } = await up(temporaryDirectory())
  const { page, status, close } = await open(`http://nowhere.localhost:${port}/`)
  expect(status).toBe(404)
  expect(await page.locator('h1').textContent()).toBe('No such host here')
  expect(await page.locator('main').textContent()).toContain('Check the address.')
  expect(await violations(page)).toEqual([])
  await close()
  const { headers } = await ask('localhost', '/')
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
})
