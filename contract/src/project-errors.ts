/** Why something about a project cannot be done. */
import { type ErrorEntry, refused, unreachable } from './error-entry.ts'

export const projectErrors = {
  project_exists: refused(
    409,
    'Project exists already',
    'Another project has this name, or is deployed from this repository under the same name before.',
    'Choose another name, or change the project that is there with `qd project set`.',
  ),
  service_exists: refused(
    409,
    'Service exists already',
    'A project or a watched service has this name, which is also the id under which it is shown and watched.',
    'Choose another id, or change what is there with `qd watch set` or `qd project set`.',
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
  not_adoptable: refused(
    422,
    'Cannot be adopted as it is',
    'A unit is adopted only if it runs from a git working copy in an isolated environment, and proves at /healthz, /readyz and /version that what runs is what is checked out. Nothing was changed.',
    'Mend what the message names, restart the unit and try again. `qd project adopt --scan` shows what is in the way.',
  ),
  run_failed: refused(
    424,
    'The run failed',
    'The call was accepted, and the run that it waited for failed, was cancelled, or gave way to one that failed.',
    'The run is in the answer: its `error` says why. Its log is at `log_url`.',
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
} as const satisfies Record<string, ErrorEntry>
