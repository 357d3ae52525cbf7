/** What the kit costs a Python service: throughput with it, of throughput without. */
import { join } from 'node:path'
import type { Figure } from './figure.ts'
import { compare, type Round, throughputRatio } from './load.ts'
import { type Measurable, startProgram } from './process.ts'

const rounds = 6
const python = '/usr/bin/python3'
const listening = /(?:Listening at: http:\/\/127\.0\.0\.1:|running on http:\/\/127\.0\.0\.1:)(\d+)/

/** One worker each: it is the kit that is measured, not the machine. */
const servers: Record<string, (app: string) => string[]> = {
  'Flask on gunicorn': app => [
    '-m',
    'gunicorn',
    '-w',
    '1',
    '--threads',
    '4',
    '-b',
    '127.0.0.1:0',
    `python_service:flask_${app}`,
  ],
  'FastAPI on uvicorn': app => [
    '-m',
    'uvicorn',
    '--port',
    '0',
    '--no-access-log',
    `python_service:fastapi_${app}`,
  ],
}

export const kitPythonFigures: Figure[] = Object.entries(servers).map(([name, args]) => ({
  name: `${name} with the kit : without`,
  goal: '>= 0.9',
  async measure() {
    const [kept, bare] = await Promise.all([start(args('with')), start(args('without'))])
    const path = '/items/7'
    const measured = await compare({ program: kept, path }, { program: bare, path }, rounds)
    await Promise.all([kept.stop(), bare.stop()])
    const ratio = throughputRatio(measured)
    return { reached: ratio >= 0.9, value: ratio.toFixed(2), details: perSecond(measured) }
  },
}))

const perSecond = (measured: readonly Round[]) => {
  const last = measured.at(-1)!
  return `with ${Math.round(last.ours.perSecond)}/s; without ${Math.round(last.peer.perSecond)}/s`
}

const start = (args: string[]): Promise<Measurable> =>
  startProgram(python, args, listening, {
    cwd: import.meta.dirname,
    env: {
      ...process.env,
      PYTHONPATH: join(import.meta.dirname, '../kit-python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
  })
