/** The whole environment as `qd up` composes it, with an agent that is killed where the file `kill-at` says. */
import { startEnvironment } from '../../cli/src/environment.ts'
import { createLog } from '../../cli/src/log.ts'
import { loadConfig, takeHome } from '../../control/src/main.ts'
import { killingJournal } from './killing-journal.ts'
import { timing } from './timing.ts'

const home = process.argv[2]!
const config = loadConfig({ home, port: 0 })
takeHome(home)
const log = createLog('info', false)
const { hosts, url } = await startEnvironment(config, log, {
  machine: { timing, openJournal: killingJournal(home) },
})
log.info({ hosts: hosts.map(({ name }) => url(name)) }, 'ready')
