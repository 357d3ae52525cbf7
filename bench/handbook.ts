/** The handbook: how fast pages are made next to markdown-it alone, how soon a change is seen, how fast search is. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { brotliCompressSync } from 'node:zlib'
import MarkdownIt from 'markdown-it'
import { pino } from 'pino'
import { Builder } from '../control/src/handbook/build.ts'
import { Folder } from '../control/src/handbook/folder.ts'
import { Handbook } from '../control/src/handbook/handbook.ts'
import { indexOf } from '../control/src/handbook/index-json.ts'
import { loadAssets } from '../control/src/handbook/look/assets.ts'
import { pageView } from '../control/src/handbook/look/page-view.ts'
import { Renderer } from '../control/src/handbook/render/renderer.ts'
import { Search } from '../control/src/handbook/search/search.ts'
import { systemClock } from '../kit/src/index.ts'
import { type Figure, median } from './figure.ts'

const pageBytes = 8 * 1024
const rounds = 5
const about = {
  title: 'Bench',
  description: null,
  language: 'en',
  url: 'http://docs.test',
  homeUrl: 'http://test',
  sha: 'bench',
}

const pagesPerSecond: Figure = {
  name: 'handbook pages : markdown-it alone',
  goal: '>= 0.8',
  async measure() {
    const { ratio, ours, peer } = await againstPeer(async folder => renderAlone(folder))
    return {
      reached: ratio >= 0.8,
      value: ratio.toFixed(2),
      details: `1,000 pages of 8 KB from disk: ours ${ours}/s with front matter, anchors, links, sections and two processes; markdown-it alone ${peer}/s`,
    }
  },
}

const beside: Figure = {
  name: 'handbook pages : Eleventy',
  goal: '>= 1',
  async measure() {
    const output = mkdtempSync(join(tmpdir(), 'qd-bench-'))
    const { Eleventy, remove } = await installEleventy()
    // One that has built before, as ours has.
    const { ratio, ours, peer } = await againstPeer(folder =>
      new Eleventy(folder, output, { quietMode: true }).write(),
    )
    remove()
    rmSync(output, { recursive: true })
    return {
      reached: ratio >= 1,
      value: ratio.toFixed(2),
      details: `1,000 pages of 8 KB: ours ${ours}/s, with an index and search; Eleventy ${peer}/s, written to disk`,
    }
  },
}

/** The same thousand changed pages, by us and by another, round by round: what else the machine does changes from one to the next. */
async function againstPeer(make: (folder: string) => Promise<unknown>) {
  const folder = written(1000, prose)
  const [ours, peer]: [number[], number[]] = [[], []]
  const builder = await warmBuilder()
  for (let round = 0; round < rounds; round++) {
    for (const [i, name] of readdirSync(folder).entries())
      writeFileSync(join(folder, name), `${prose(i)}\nRound ${round}.\n`)
    ours.push(
      await took(async () => {
        const source = new Folder({ folder, prefix: '' })
        await source.scan()
        await builder.build([source])
      }),
    )
    peer.push(await took(() => make(folder)))
  }
  builder.close()
  rmSync(folder, { recursive: true })
  return {
    ratio: median(peer.map((time, round) => time / ours[round]!)),
    ours: perSecond(median(ours), 1000),
    peer: perSecond(median(peer), 1000),
  }
}

interface Site {
  write(): Promise<unknown>
}

/** Its hundred packages are for this figure alone, so nobody else installs them. */
async function installEleventy() {
  const directory = mkdtempSync(join(tmpdir(), 'qd-bench-'))
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', directory]
  const { status } = spawnSync('npm', ['install', ...options, '@11ty/eleventy@3.1.2'])
  if (status !== 0) throw new Error('This figure needs the npm registry, to install Eleventy.')
  const { default: Eleventy } = await import(join(directory, 'node_modules/@11ty/eleventy/src/Eleventy.js'))
  return {
    Eleventy: Eleventy as new (input: string, output: string, options: { quietMode: boolean }) => Site,
    remove: () => rmSync(directory, { recursive: true }),
  }
}

const withCode: Figure = {
  name: 'handbook with code, second : without',
  goal: '<= 2',
  async measure() {
    const plain = written(1000, prose)
    const code = written(1000, i => prose(i, pageBytes / 2) + codeOf(i))
    const without = await timesOf(plain)
    const builder = await warmBuilder()
    const source = new Folder({ folder: code, prefix: '' })
    await source.scan()
    const first = await took(() => builder.build([source]))
    builder.close()
    const second = await timesOf(code, builder.cache)
    for (const folder of [plain, code, builder.cache]) rmSync(folder, { recursive: true, force: true })
    const ratio = second / without
    return {
      reached: ratio <= 2,
      value: ratio.toFixed(2),
      details: `1,000 pages: without code ${Math.round(without)} ms; with code ${Math.round(first)} ms at first, ${Math.round(second)} ms when coloured before`,
    }
  },
}

const changeSeen: Figure = {
  name: 'handbook: one changed page of 10,000',
  goal: '< 200 ms',
  async measure() {
    const folder = written(10_000, i => `# Page ${i}\n\n## One\n\nText of ${i}.\n`)
    const cache = mkdtempSync(join(tmpdir(), 'qd-bench-'))
    const handbook = new Handbook({
      about,
      feeds: [new Folder({ folder, prefix: '' })],
      cache,
      clock: systemClock,
      log: pino({ level: 'silent' }),
    })
    await handbook.site()
    const times: number[] = []
    for (let round = 0; round < 7; round++) {
      await wait(300)
      const title = `Changed ${round}`
      writeFileSync(join(folder, 'page-500.md'), `# ${title}\n`)
      times.push(
        await took(async () => {
          while ((await handbook.site()).byPath.get('/page-500')?.rendered.title !== title) await wait(2)
        }),
      )
    }
    handbook.close()
    for (const place of [folder, cache]) rmSync(place, { recursive: true, force: true })
    const typical = median(times.slice(1))
    return {
      reached: typical < 200,
      value: `${Math.round(typical)} ms`,
      details: `from the write to the page; the first, which starts the process that renders: ${Math.round(times[0]!)} ms`,
    }
  },
}

const searchTime: Figure = {
  name: 'handbook: search, 10,000 sections',
  goal: '<= 10 ms',
  async measure() {
    const folder = written(
      2500,
      i =>
        `# Page ${i}\n\n${[1, 2, 3, 4].map(n => `## ${words(i * 7 + n, 25)}\n\n${words(i * 4 + n, 400)}\n`).join('\n')}`,
    )
    const builder = await warmBuilder()
    const source = new Folder({ folder, prefix: '' })
    await source.scan()
    const site = await builder.build([source])
    const search = new Search()
    const indexing = await took(() => search.follow(site))
    const queries = [
      'deploy',
      'rolback',
      'machine serv',
      'what runs after a restart',
      'certificat',
      'zzzzz',
      'a',
    ]
    const times = queries.flatMap(query =>
      Array.from({ length: 20 }, () => tookSync(() => search.find(query, 20))),
    )
    builder.close()
    for (const place of [folder, builder.cache]) rmSync(place, { recursive: true, force: true })
    const worst = [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!
    return {
      reached: worst <= 10,
      value: `${worst.toFixed(1)} ms`,
      details: `95 of 100 searches; median ${median(times).toFixed(1)} ms; the index is made once, in ${Math.round(indexing)} ms`,
    }
  },
}

const firstPage: Figure = {
  name: 'first page of the handbook, compressed',
  goal: '<= 80 KB',
  async measure() {
    const builder = await warmBuilder()
    const source = new Folder({ folder: join(import.meta.dirname, '../handbook'), prefix: '' })
    await source.scan()
    const site = await builder.build([source])
    builder.close()
    const assets = loadAssets()
    const view = { site, about, assets, findsInPage: true, today: '2026-01-01' }
    const { style, script, byPath } = assets
    const sizeOf = (...all: Buffer[]) => all.reduce((sum, bytes) => sum + brotliCompressSync(bytes).length, 0)
    const sizes = [
      sizeOf(Buffer.from(pageView(site.byPath.get('/')!, view))),
      sizeOf(byPath.get(style)!.bytes),
      sizeOf(byPath.get(script)!.bytes),
    ]
    const total = sizes.reduce((sum, size) => sum + size, 0)
    const finder = [...byPath].filter(([path]) => path !== style && path !== script)
    const toFind = sizeOf(
      ...finder.map(([, { bytes }]) => bytes),
      Buffer.from(JSON.stringify(indexOf(site, about))),
    )
    rmSync(builder.cache, { recursive: true, force: true })
    return {
      reached: total <= 80 * 1024,
      value: `${(total / 1024).toFixed(1)} KB`,
      details: `page, style sheet and script: ${sizes.map(kilobytes).join(' + ')}; what finds, with the index, on first use: ${kilobytes(toFind)}`,
    }
  },
}

export const handbookFigures: Figure[] = [pagesPerSecond, beside, withCode, changeSeen, searchTime, firstPage]

class BenchBuilder extends Builder {
  readonly cache: string
  readonly #renderer: Renderer

  constructor(renderer: Renderer, cache: string) {
    super({ render: pages => renderer.render(pages, 60_000) })
    this.#renderer = renderer
    this.cache = cache
  }

  close(): void {
    this.#renderer.close()
  }
}

/** As a running handbook has it when somebody works on it: the process is there, and its code compiled. */
async function warmBuilder(cache = mkdtempSync(join(tmpdir(), 'qd-bench-'))): Promise<BenchBuilder> {
  const builder = new BenchBuilder(new Renderer({ cache }), cache)
  const folder = written(300, prose)
  const source = new Folder({ folder, prefix: '' })
  await source.scan()
  await builder.build([source])
  rmSync(folder, { recursive: true })
  return builder
}

async function timesOf(folder: string, cache?: string): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const builder = await warmBuilder(cache)
    const source = new Folder({ folder, prefix: '' })
    await source.scan()
    times.push(await took(() => builder.build([source])))
    builder.close()
    if (!cache) rmSync(builder.cache, { recursive: true, force: true })
  }
  return median(times)
}

const markdown = new MarkdownIt()

function renderAlone(folder: string): number {
  let length = 0
  for (const name of readdirSync(folder))
    length += markdown.render(readFileSync(join(folder, name), 'utf8')).length
  return length
}

function written(count: number, text: (i: number) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'qd-bench-pages-'))
  mkdirSync(folder, { recursive: true })
  for (let i = 0; i < count; i++) writeFileSync(join(folder, `page-${i}.md`), text(i))
  return folder
}

/** The handbook’s own words, the frequent ones first, so that they come as often as in a real text. */
const vocabulary = wordsOfHandbook()

function wordsOfHandbook(): string[] {
  const folder = join(import.meta.dirname, '../handbook')
  const texts = readdirSync(folder)
    .filter(name => name.endsWith('.md'))
    .map(name => readFileSync(join(folder, name), 'utf8'))
  const all = Map.groupBy(
    texts
      .join(' ')
      .toLowerCase()
      .match(/[a-z]{1,20}/g) ?? [],
    word => word,
  )
  return [...all].sort((one, other) => other[1].length - one[1].length).map(([word]) => word)
}

function words(seed: number, bytes: number): string {
  let state = seed + 1
  let text = ''
  while (text.length < bytes) {
    state = (state * 1103515245 + 12345) % 2147483648
    // Zipf’s law: a word’s frequency goes with its rank.
    const rank = Math.floor(vocabulary.length ** (state / 2147483648)) - 1
    text += `${vocabulary[rank]} `
  }
  return text
}

function prose(i: number, bytes = pageBytes): string {
  const parts = [`# Page ${i}`]
  for (let n = 0; parts.join('\n\n').length < bytes; n++)
    parts.push(
      `## Part ${n}`,
      `${words(i + n, 500)} [link](page-${(i + n) % 1000}.md), **bold** and \`code\`.`,
      `- ${words(i, 60)}\n- ${words(n, 60)}`,
      '| a | b |\n| --- | --- |\n| 1 | 2 |',
    )
  return parts.join('\n\n')
}

const codeOf = (i: number) =>
  [1, 2, 3]
    .map(
      n =>
        `\n\n\`\`\`js\nimport { a${i} } from './x.js'\nexport const value = await a${i}(${n}, 'text') // why\n\`\`\`\n`,
    )
    .join('')

async function took(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** By the processor’s time, because what else the machine does would count as ours. */
function tookSync(work: () => unknown): number {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} KB`

const perSecond = (ms: number, count: number) => Math.round((count / ms) * 1000)
