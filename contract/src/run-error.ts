/** Why a run fails: the catalogue behind `error.code` of a run. The handbook's pages on it are made from here. */

export interface RunErrorEntry {
  /** What it tells, for someone who has never seen it. */
  readonly meaning: string
  /** What to do next. */
  readonly remedy: string
}

export const runErrors = {
  remote_unreachable: {
    meaning:
      'The repository could not be fetched: its host does not answer or breaks off. Nothing was changed.',
    remedy: 'See that the address in `git_url` is right and reachable from the machine, then run it again.',
  },
  remote_denied: {
    meaning: 'The remote asks for credentials or does not know the repository. Nothing was changed.',
    remedy:
      'Check `git_url`. For a private repository, `qd project access PROJECT` shows the deploy key that the forge has to know, or takes a token for https. Then run it again.',
  },
  host_unknown: {
    meaning:
      'Nobody has said yet by which keys the ssh host of the repository is known, so nothing was sent to it. Nothing was changed.',
    remedy: 'Look at its keys and pin them with `qd project access PROJECT --pin`, then run it again.',
  },
  host_key_changed: {
    meaning:
      'The ssh host of the repository shows another key than it is known by: it has a new one, or something else answers in its place. Nothing was sent to it, and nothing was changed.',
    remedy:
      'Ask whoever runs the host. If the new key is right, pin it with `qd project access PROJECT --pin`; without a deploy key of the project’s own, the machine’s list of known hosts has to be mended.',
  },
  remote_moved: {
    meaning:
      'The remote sends us to another address, and a token is not sent anywhere else than where it is for. Nothing was changed.',
    remedy:
      'If the repository has moved, set its new address with `qd project set PROJECT --git URL`; at another host it needs a token again.',
  },
  branch_missing: {
    meaning: 'The remote has no such branch. Nothing was changed.',
    remedy: 'Push the branch, or correct `branch` with `qd project set`.',
  },
  ref_not_on_main: {
    meaning: 'The commit that was asked for is not on the branch that is deployed. Nothing was changed.',
    remedy: 'Merge it first. If the branch was rewritten since, push again.',
  },
  ref_ambiguous: {
    meaning: 'The shortened commit that was asked for stands for several commits. Nothing was changed.',
    remedy: 'Send the whole commit id.',
  },
  history_rewritten: {
    meaning:
      'The branch no longer holds the commit that is in the working copy: someone has rewritten it. Merges are fast-forward only, so nothing was changed.',
    remedy: 'If the rewrite was meant, run `qd deploy PROJECT --discard` once.',
  },
  working_copy_dirty: {
    meaning:
      'Tracked files in the working copy on the machine were changed by hand. They were not overwritten.',
    remedy: 'Commit them upstream, or give them up with `qd deploy PROJECT --discard`.',
  },
  working_copy_diverged: {
    meaning: 'The working copy on the machine has commits of its own. They were not overwritten.',
    remedy: 'Push them upstream, or give them up with `qd deploy PROJECT --discard`.',
  },
  working_copy_broken: {
    meaning: 'git cannot work with the working copy on the machine.',
    remedy: 'The log shows what git said. `qd deploy PROJECT --discard` makes a new working copy.',
  },
  submodules_unsupported: {
    meaning: 'The commit has submodules, which are not fetched. Nothing was changed.',
    remedy: 'Bring their files into the repository, or install them as requirements.',
  },
  release_failed: {
    meaning: 'The commit’s files could not be laid out as a release. The service was not touched.',
    remedy: 'The message names the file or the cause.',
  },
  interpreter_missing: {
    meaning: 'The interpreter that the project asks for is not on the machine. The service was not touched.',
    remedy: 'Install it on the machine, or choose another one with `qd project set PROJECT --interpreter`.',
  },
  install_failed: {
    meaning: 'The dependency list could not be installed. The service was not touched.',
    remedy: 'The log shows what the installer said, most often a name or version that does not exist.',
  },
  disk_full: {
    meaning: 'There is not enough space on the machine’s disk. The service was not touched.',
    remedy: 'Make room on the disk that holds the home, then run it again.',
  },
  before_restart_failed: {
    meaning: 'The project’s own step before the restart ended with an error. The service was not touched.',
    remedy: 'The log shows its output. What the step itself had changed is as it left it.',
  },
  restart_failed: {
    meaning: 'The units could not be restarted on the new release.',
    remedy: 'The message names the cause, such as a program that does not exist in the release.',
  },
  verify_failed: {
    meaning:
      'The new build did not prove itself: it ended, did not answer, was not ready, or told another commit.',
    remedy: 'The message says which; the log ends with the last lines of the unit’s own log.',
  },
  step_timeout: {
    meaning: 'A step took longer than its limit and was ended.',
    remedy: 'The log shows how far it came. Limits are settings of the project (`qd project set`).',
  },
  interrupted: {
    meaning: 'The agent ended in a step that must not be done twice, so the run was undone.',
    remedy: 'See whether the step before the restart had finished its work, then run it again.',
  },
  secrets_unreadable: {
    meaning:
      'The project’s secrets cannot be read: the key of the home is missing, or is another one. Nothing was changed.',
    remedy:
      'Put the file `secret.key` back into the home, from a backup. If it is lost for good, remove the secrets with `qd var unset` and `qd project access PROJECT --remove-key --remove-token`, and set them anew.',
  },
  not_adoptable: {
    meaning: 'A unit that is there cannot be adopted as it is. Nothing was changed.',
    remedy: 'Mend what the message names; `qd project adopt --scan` shows what is in the way.',
  },
  internal: {
    meaning: 'Something failed that should not have. It is our mistake.',
    remedy: 'Look for the run’s id in the log of the agent, and report it.',
  },
} as const satisfies Record<string, RunErrorEntry>

export type RunErrorCode = keyof typeof runErrors

/** Thrown where a step knows why the run cannot go on. */
export class RunFault extends Error {
  readonly code: RunErrorCode

  /** `message` is one sentence for people: what went wrong, with what. It never holds a secret. */
  constructor(code: RunErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.name = 'RunFault'
    this.code = code
  }
}
