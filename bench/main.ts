/** `npm run bench [name…]`: every figure, or those whose name holds one of the words; `--json` for programs. */
import { alertDelay } from './alert-delay.ts'
import { alertFigures } from './alerts.ts'
import { accepting } from './deploy/accepting.ts'
import { deployFigures } from './deploy/added-time.ts'
import { diskUse } from './deploy/disk.ts'
import { manyAtOnce } from './deploy/many.ts'
import { deploysSeen } from './deploy/seen.ts'
import { serverFigures } from './deploy/server.ts'
import type { Figure } from './figure.ts'
import { groupCommit } from './group-commit.ts'
import { handbookFigures } from './handbook.ts'
import { health } from './health.ts'
import { idleMemory } from './idle-memory.ts'
import { kitFigures } from './kit.ts'
import { kitPythonFigures } from './kit-python.ts'
import { metricsTextFigures } from './metrics-text.ts'
import { rules } from './rules.ts'
import { scrape } from './scrape.ts'
import { startUp } from './start-up.ts'
import { statusFigures } from './status.ts'
import { watchFigures } from './watch.ts'

const figures: Figure[] = [
  health,
  groupCommit,
  startUp,
  idleMemory,
  ...kitFigures,
  scrape,
  ...metricsTextFigures,
  rules,
  ...kitPythonFigures,
  ...deployFigures,
  accepting,
  manyAtOnce,
  deploysSeen,
  diskUse,
  ...serverFigures,
  ...watchFigures,
  ...alertFigures,
  alertDelay,
  ...handbookFigures,
  ...statusFigures,
]

const words = process.argv.slice(2).filter(word => !word.startsWith('--'))
const json = process.argv.includes('--json')

for (const figure of figures.filter(
  ({ name }) => words.length === 0 || words.some(word => name.includes(word)),
)) {
  const measured = await figure.measure()
  if (!measured.reached) process.exitCode = 1
  process.stdout.write(json ? `${JSON.stringify({ ...figure, ...measured })}\n` : line(figure, measured))
}

function line(
  { name, goal }: Figure,
  { reached, value, details }: Awaited<ReturnType<Figure['measure']>>,
): string {
  return `${reached ? 'reached' : 'MISSED '}  ${name.padEnd(36)} ${value.padStart(8)}  (goal ${goal})\n         ${details}\n`
}
