/**
 * An agent of its own process, for tests that end the machine under it: `node agent-script.ts <home> <command>` prints the
 * units that it finds, after it has started one (`deploy`), or as they are (`look`).
 */
import { systemClock } from '@quarterdeck/kit'
import { pino } from 'pino'
import { SystemdUnits } from '../systemd.ts'
import { restartOptions, sampleUnit } from '../under-test.ts'

const [home = '', command = 'look'] = process.argv.slice(2)
const agent = new SystemdUnits({ home: `${home}/agent`, clock: systemClock, log: pino({ level: 'silent' }) })
await agent.recover()
if (command === 'deploy') {
  const script = 'echo hello from $(cat /proc/sys/kernel/random/boot_id); exec sleep 1000'
  for (const name of ['web', 'down', 'unproven'])
    await agent.restart(sampleUnit(home, { name, script }), restartOptions)
  agent.settle('hello', 'web')
  agent.settle('hello', 'down')
  await agent.stop('hello', 'down', { limitMs: 1000 })
}
const { lines } = await agent.log('hello', 'web', null, 10)
process.stdout.write(`${JSON.stringify({ units: agent.list(), lines })}\n`)
agent.close()
