/** Why the environment, or a command, cannot do its work on this machine. */
import { type ErrorEntry, refused, unreachable } from './error-entry.ts'

export const programErrors = {
  store_unavailable: unreachable(
    503,
    'Database does not answer',
    'The database cannot be reached or did not answer in time. What was asked for was not done.',
    'See that the database runs and that `database` in quarterdeck.yaml is right, then try again.',
  ),
  store_full: unreachable(
    503,
    'No space left for the database',
    'The disk is full. What was asked for was not done; what was stored before is intact.',
    'Make room on the disk that holds the home (or PostgreSQL’s data), then try again. No restart is needed.',
  ),
  store_corrupt: unreachable(
    503,
    'Database is damaged',
    'The database file is not a database, or parts of it cannot be read.',
    'Keep the file aside and restore the newest backup with `qd restore`.',
  ),
  store_newer: refused(
    503,
    'Database is newer than this program',
    'A later version has changed the database in a way that this version cannot work with.',
    'Run the later version again, or restore the backup that was made before the upgrade with `qd restore`.',
  ),
  secret_key_unusable: unreachable(
    503,
    'Key of the secrets is missing or another one',
    'Secrets are stored encrypted with the key in the file secret.key of the home. The file is gone or damaged, or it is not the key that they were encrypted with.',
    'Put secret.key back from a backup of this home. If it is lost for good, remove every secret that was encrypted with it (`qd var unset PROJECT NAME`, `qd forge remove PROJECT`, `qd project access PROJECT --remove-key --remove-token`) and set it anew.',
  ),
  control_unreachable: unreachable(
    503,
    'Control does not answer',
    'The command needs a running environment, and none answered.',
    'Start it with `npm start` or `qd up`, or name its home with --home.',
  ),
  config_invalid: refused(
    500,
    'Configuration is not valid',
    'quarterdeck.yaml, an environment variable or an option has an unknown key or a value that cannot be.',
    'Correct what the message names. Every option has a default; an empty file is valid.',
  ),
  home_unusable: refused(
    500,
    'Home cannot be used',
    'The home directory cannot be created, read or written.',
    'Give its owner write access, or choose another directory with --home.',
  ),
  home_in_use: refused(
    500,
    'Home is in use',
    'Another process is running on this home. Two would overwrite each other’s work.',
    'Stop the other process, or choose another directory with --home.',
  ),
  home_not_empty: refused(
    500,
    'Home already has data',
    'A backup is only restored into a home whose database is empty, so that nothing is overwritten.',
    'Choose an empty home with --home, or move the old database aside.',
  ),
  backup_invalid: refused(
    500,
    'Not a usable backup',
    'The directory is not a backup, or a file of it is missing or has changed since it was made.',
    'Choose another backup; `qd backup` makes them.',
  ),
  target_exists: refused(
    500,
    'Target already exists',
    'A backup, or a new project, is never written over something that is there.',
    'Name a directory that does not exist yet.',
  ),
  not_installable: refused(
    500,
    'Cannot be installed here',
    'An installation, or its removal, needs root on a machine with systemd, code that only root can change, and names that are free. Something of that is not so, or a step of it failed.',
    'Mend what the message names and run it again: what is done already is left as it is.',
  ),
  program_missing: refused(
    500,
    'A program is missing or fails',
    'What was asked for needs another program on this machine, which is not there or ended with an error.',
    'Install it, or see what it said. `qd doctor` tells which programs are used for what.',
  ),
  port_in_use: refused(
    500,
    'Port cannot be used',
    'Another program listens on the port, or the port needs rights that this process lacks.',
    'Stop the other program, or choose another port with --port.',
  ),
} as const satisfies Record<string, ErrorEntry>
