/** Every verb, in the groups in which the help lists them. */
import { Command, Help } from 'commander'
import { agentCommand } from './agent.ts'
import { alertCommand } from './alert/command.ts'
import { applyCommand } from './as-file/apply.ts'
import { exportCommand } from './as-file/export.ts'
import { backupCommand } from './backup.ts'
import { cancelCommand } from './cancel.ts'
import { channelCommand } from './channel/command.ts'
import { checkCommand } from './check/command.ts'
import { deployCommand } from './deploy.ts'
import { doctorCommand } from './doctor/command.ts'
import { exitCodes } from './fail.ts'
import { forgeCommand } from './forge/command.ts'
import { handbookCommand } from './handbook/command.ts'
import { heartbeatCommand } from './heartbeat/command.ts'
import { holdCommand, resumeCommand } from './hold.ts'
import { incidentCommand } from './incident/command.ts'
import { initCommand } from './init/command.ts'
import { installCommand } from './install/install.ts'
import { uninstallCommand } from './install/uninstall.ts'
import { logsCommand } from './logs.ts'
import { maintenanceCommand } from './maintenance/command.ts'
import { queryCommand } from './metrics/query.ts'
import { rulesCommand } from './metrics/rules.ts'
import { targetsCommand } from './metrics/targets.ts'
import { commonOptions } from './options.ts'
import { projectCommand } from './project/command.ts'
import { rerunCommand } from './rerun.ts'
import { restoreCommand } from './restore.ts'
import { rollbackCommand } from './rollback.ts'
import { runCommand } from './run-show.ts'
import { runsCommand } from './runs.ts'
import { silenceCommand } from './silence/command.ts'
import { statusCommand } from './status/command.ts'
import { tokenCommand } from './token/command.ts'
import { restartCommand, startCommand, stopCommand } from './units.ts'
import { upCommand } from './up.ts'
import { varCommand } from './var/command.ts'
import { versionCommand } from './version.ts'
import { watchCommand } from './watch/command.ts'

const groups: Record<string, (() => Command)[]> = {
  'The environment:': [
    upCommand,
    agentCommand,
    versionCommand,
    doctorCommand,
    backupCommand,
    restoreCommand,
    handbookCommand,
  ],
  'A server:': [installCommand, uninstallCommand],
  'Projects:': [
    initCommand,
    projectCommand,
    varCommand,
    tokenCommand,
    forgeCommand,
    applyCommand,
    exportCommand,
    checkCommand,
  ],
  'Deploying:': [deployCommand, rollbackCommand, rerunCommand, cancelCommand, holdCommand, resumeCommand],
  'Seeing what happens:': [statusCommand, runsCommand, runCommand, logsCommand, watchCommand],
  'Alerts:': [alertCommand, silenceCommand, channelCommand, heartbeatCommand],
  'Metrics:': [targetsCommand, queryCommand, rulesCommand],
  'Telling people:': [incidentCommand, maintenanceCommand],
  'Units:': [startCommand, stopCommand, restartCommand],
}

export function createProgram(): Command {
  const program = new Command('qd')
    .description('Quarterdeck: run your own servers like a platform, without containers.')
    .showHelpAfterError('(qd --help lists the commands)')
    .configureHelp({ showGlobalOptions: true, groupItems: commonLast })
    .addHelpText(
      'after',
      `\nExit codes:\n${exitCodes.map(({ code, meaning }) => `  ${String(code).padEnd(3)}  ${meaning}`).join('\n')}`,
    )
    .exitOverride()
    .commandsGroup(Object.keys(groups)[0]!)
    .helpCommand('help [command]', 'show the help of a command')
  for (const [heading, commands] of Object.entries(groups)) {
    program.commandsGroup(heading)
    for (const command of commands) program.addCommand(inheriting(command(), program))
  }
  return program
}

/** What is special to a command comes first. */
const commonLast: Help['groupItems'] = (unsorted, visible, groupOf) => {
  const sorted = new Help().groupItems(unsorted, visible, groupOf)
  const common = sorted.get(commonOptions)
  sorted.delete(commonOptions)
  return common ? sorted.set(commonOptions, common) : sorted
}

/** Settings are not inherited by commands that were made before they were added, nor by theirs. */
function inheriting(command: Command, from: Command): Command {
  command.copyInheritedSettings(from)
  for (const child of command.commands) inheriting(child, command)
  return command
}
