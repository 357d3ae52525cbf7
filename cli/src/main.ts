/** `quarterdeck`, also `qd`: one verb per file. */
import { Command } from 'commander'
import { backupCommand } from './backup.ts'
import { checkCommand } from './check/command.ts'
import { doctorCommand } from './doctor/command.ts'
import { exitCodes, fail } from './fail.ts'
import { restoreCommand } from './restore.ts'
import { upCommand } from './up.ts'
import { versionCommand } from './version.ts'

// What is written holds secrets: for this user alone, unless a command says otherwise.
process.umask(0o077)

const program = new Command('qd')
  .description('Quarterdeck: run your own servers like a platform, without containers.')
  .showHelpAfterError('(qd --help lists the commands)')
  .configureHelp({ showGlobalOptions: true })
  .addHelpText(
    'after',
    `\nExit codes:\n${exitCodes.map(({ code, meaning }) => `  ${code}  ${meaning}`).join('\n')}`,
  )
  .exitOverride()

for (const command of [
  upCommand,
  versionCommand,
  doctorCommand,
  checkCommand,
  backupCommand,
  restoreCommand,
]) {
  program.addCommand(command().copyInheritedSettings(program))
}

try {
  await program.parseAsync()
} catch (error) {
  fail(error)
}
