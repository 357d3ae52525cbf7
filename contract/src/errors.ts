/**
 * The catalogue: every error of the environment, once. HTTP answers, messages of the command line and the
 * handbook's error pages are made from it.
 */

/** Whose turn it is. Refused: the caller can mend it. Unreachable: another side. Bug: ours. */
export type ErrorFamily = 'refused' | 'unreachable' | 'bug'

export interface ErrorEntry {
  readonly family: ErrorFamily
  /** The HTTP status it is answered with. */
  readonly status: number
  readonly title: string
  /** What it tells, for someone who has never seen it. */
  readonly meaning: string
  /** What to do next. */
  readonly remedy: string
}

const refused = (status: number, title: string, meaning: string, remedy: string): ErrorEntry => ({
  family: 'refused',
  status,
  title,
  meaning,
  remedy,
})

const unreachable = (status: number, title: string, meaning: string, remedy: string): ErrorEntry => ({
  family: 'unreachable',
  status,
  title,
  meaning,
  remedy,
})

export const errors = {
  malformed_request: refused(
    400,
    'Malformed request',
    'What arrived is not a valid HTTP/1.1 request.',
    'Check the client, or a proxy in between, that wrote the request line and headers.',
  ),
  invalid_json: refused(
    400,
    'Body is not JSON',
    'The body could not be read as JSON.',
    'Send one JSON value in UTF-8; the detail says where reading stopped.',
  ),
  unauthenticated: refused(
    401,
    'Not signed in',
    'There is no token, or it is wrong, expired or revoked. The answer is the same for all of these.',
    'Send `Authorization: Bearer <token>` with a valid token. On the control machine the operator’s token is in the file operator.token of the home.',
  ),
  forbidden: refused(
    403,
    'Not allowed',
    'The token is good, but its role may not do this.',
    'Use a token whose role allows it, or ask an operator.',
  ),
  bad_signature: refused(
    403,
    'Signature is not right',
    'The call of the forge’s webhook is not signed with the secret of the project’s hook, or there is no such project or hook. The answer is the same for all of these.',
    'Put the address and the secret that `qd forge hook PROJECT` shows into the webhook’s settings at the forge; `--rotate` makes a new secret.',
  ),
  tls_required: refused(
    403,
    'Credentials need TLS',
    'A token came over an unencrypted connection from another machine. It was not looked at.',
    'Use https. Treat the token that was sent as known to others and replace it.',
  ),
  unknown_host: refused(
    404,
    'No such host here',
    'The Host header names nothing that is served here.',
    'Check the address. The environment’s front page lists every host.',
  ),
  not_found: refused(
    404,
    'Not found',
    'Nothing is at this path, or the thing it names does not exist.',
    'Check the path. The admin host describes its API at /api/openapi.json.',
  ),
  method_not_allowed: refused(
    405,
    'Method not allowed',
    'The path exists, but does not take this method.',
    'Use one of the methods in the Allow header.',
  ),
  project_exists: refused(
    409,
    'Project exists already',
    'Another project has this name, or is deployed from this repository under the same name before.',
    'Choose another name, or change the project that is there with `qd project set`.',
  ),
  hook_exists: refused(
    409,
    'The project has a hook already',
    'The project has a secret for its forge’s webhook, which is shown only once, when it is made.',
    'Make a new one with `qd forge hook PROJECT --rotate`; the old one then no longer counts.',
  ),
  variables_changed: refused(
    409,
    'Variables were changed meanwhile',
    'The change was made for a revision of the project’s variables that is no longer the newest. Nothing was changed.',
    'Look at the variables as they are now, and send the change for their revision.',
  ),
  deploy_key_exists: refused(
    409,
    'The project has a deploy key already',
    'The project has a deploy key, which its forge may know. A new one takes its place, and has to be made known there too.',
    'Show it with `qd project access PROJECT`, or make a new one with `qd project access PROJECT --new-key`.',
  ),
  remote_unsuitable: refused(
    409,
    'The project is not fetched in this way',
    'Host keys are of ssh hosts, and a token is for https, or for http on the machine itself: elsewhere anybody on the way could read it. The address of the project’s repository is of another kind.',
    'Set another address with `qd project set PROJECT --git URL`.',
  ),
  port_taken: refused(
    409,
    'Port is taken',
    'Another project, the environment itself or another program on the machine uses the port.',
    'Choose another port, or leave it out: a free one is then chosen.',
  ),
  project_busy: refused(
    409,
    'A run is under way',
    'The project is being deployed at this moment, and the run decides what is started and stopped.',
    'Wait for the run to end, or cancel it with `qd cancel`.',
  ),
  run_over: refused(
    409,
    'The run has ended',
    'A run that has ended cannot be cancelled.',
    'To take a deploy back, use `qd rollback`.',
  ),
  nothing_earlier: refused(
    409,
    'Nothing to go back to',
    'There is no earlier release of the project that was proven to run.',
    'Name a commit with --to, or deploy a newer one.',
  ),
  unit_failed: refused(
    409,
    'Units could not be started',
    'The machine could not do what was asked with the project’s units.',
    'The detail names the cause. `qd logs PROJECT` shows what the units say.',
  ),
  changed_meanwhile: refused(
    409,
    'Changed since it was looked at',
    'What would be done is no longer what was shown: something was changed in between. Nothing was done.',
    'Look at the difference again with `qd apply FILE --dry-run`, and apply then.',
  ),
  request_timeout: refused(
    408,
    'Request took too long to arrive',
    'The headers or the body did not arrive whole within their time limit.',
    'Send the request again, at once and whole.',
  ),
  body_too_large: refused(
    413,
    'Body too large',
    'The body is larger than this path takes.',
    'Send less. The limits are options under `limits` in quarterdeck.yaml.',
  ),
  unsupported_media_type: refused(
    415,
    'Not JSON by its Content-Type',
    'The path takes JSON, and the Content-Type says something else.',
    'Send `Content-Type: application/json`.',
  ),
  expectation_failed: refused(
    417,
    'Expectation not met',
    'The Expect header asks for something other than 100-continue.',
    'Leave the Expect header out.',
  ),
  invalid_fields: refused(
    422,
    'Fields are missing or malformed',
    'The request was understood, but some of its fields are not acceptable.',
    'Each entry of `errors` names a field and what is expected of it.',
  ),
  not_adoptable: refused(
    422,
    'Cannot be adopted as it is',
    'A unit is adopted only if it runs from a git working copy in an isolated environment, and proves at /healthz, /readyz and /version that what runs is what is checked out. Nothing was changed.',
    'Mend what the message names, restart the unit and try again. `qd project adopt --scan` shows what is in the way.',
  ),
  idempotency_key_reused: refused(
    422,
    'Idempotency-Key was used for another request',
    'Within the last 24 hours the same key came with a different request.',
    'Use a new key for a new request, and the old key only to repeat the very same one.',
  ),
  run_failed: refused(
    424,
    'The run failed',
    'The call was accepted, and the run that it waited for failed, was cancelled, or gave way to one that failed.',
    'The run is in the answer: its `error` says why. Its log is at `log_url`.',
  ),
  too_many_calls: refused(
    429,
    'Too many calls with this token',
    'The token, or the hook, was used for more deploys within a minute than are allowed.',
    'Wait for the time in Retry-After. The limit is the option `limits.deploys_per_minute`.',
  ),
  too_many_bad_tokens: refused(
    429,
    'Too many wrong tokens',
    'Too many requests with a wrong token or signature came from this address within a minute.',
    'Wait for the time in Retry-After, and send the right token, or sign with the right secret.',
  ),
  header_too_large: refused(
    431,
    'Headers too large',
    'The request’s headers are larger than 16 KiB.',
    'Send fewer or shorter headers; often it is an overgrown cookie.',
  ),
  internal: {
    family: 'bug',
    status: 500,
    title: 'Unexpected error',
    meaning: 'Something failed that should not have. It is our mistake, and nothing of it is shown here.',
    remedy: 'Look for the request_id in the log, which has the cause, and report it.',
  },
  upstream_refused: unreachable(
    502,
    'Project does not take connections',
    'The edge asked the project’s web process, and nothing took the connection: the service is stopped, has crashed, listens on another port, or its machine is down.',
    'See why with `qd logs <project>` and start it with `qd restart <project>`. If it runs, it must listen on the port in PORT, on all interfaces.',
  ),
  upstream_timeout: unreachable(
    502,
    'Project takes too long',
    'The project’s web process did not take the connection, or did not begin to answer, within the time limit: it hangs, is overloaded, or a restart takes too long. What was asked for may have been done.',
    'See with `qd logs <project>` what it waits for and with `qd runs <project>` whether a deploy is under way; `qd restart <project>` ends what hangs.',
  ),
  upstream_broken: unreachable(
    502,
    'Project broke off',
    'The project’s web process took the request, but closed the connection before it answered, or what it answered is not HTTP. What was asked for may have been done.',
    'Look in `qd logs <project>` for a crash at the time of the request. If there is none, see that the port is that of its HTTP server.',
  ),
  upstream_absent: unreachable(
    502,
    'Project does not run here',
    'The project is known, but there is nothing to route to: it was never deployed, or it has no web process.',
    'See with `qd runs <project>` whether a deploy ended well, and deploy it. A project of workers alone has no address.',
  ),
  unavailable: unreachable(
    503,
    'Starting or stopping',
    'The environment is starting or stopping and takes no work at this moment.',
    'Try again in a few seconds.',
  ),
  machine_unreachable: unreachable(
    503,
    'The machine’s agent does not answer',
    'The agent of the machine that has the project is not connected or did not answer in time.',
    'See that the agent runs, then try again.',
  ),
  host_keys_unavailable: unreachable(
    503,
    'The ssh host shows no keys',
    'The project’s machine has asked the ssh host of the repository for its keys, and got none.',
    'See that the address in `git_url` is right and that the machine can reach it, then try again.',
  ),
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

export type ErrorCode = keyof typeof errors
