/** An agent in a process of its own, connected to control over a socket, killed where the file `kill-at` says. */
import { connect } from 'node:net'
import { streamLink } from '@quarterdeck/contract'
import { start } from '../../agent/src/main.ts'
import { createLog } from '../../cli/src/log.ts'
import { killingJournal } from './killing-journal.ts'
import { timing } from './timing.ts'

const [home, socket] = process.argv.slice(2) as [string, string]
const agent = await start({
  home,
  name: 'local',
  root: import.meta.dirname,
  log: createLog('info', false),
  timing,
  openJournal: killingJournal(home),
})
agent.connect(streamLink(connect(socket)))
