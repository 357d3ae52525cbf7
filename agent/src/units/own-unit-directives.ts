/** What a project's own unit file may set, and how each value must look. What is not here is refused. */

const seconds = /^\d{1,6}(ms|s|sec|min|h)?$/
const size = /^\d{1,12}[KMGT]?$/
const percent = /^\d{1,5}%$/
const count = /^\d{1,9}$/
const limit = /^(\d{1,12}|infinity)(:(\d{1,12}|infinity))?$/
const yesNo = /^(yes|no|true|false|on|off|0|1)$/

/** A value that is only checked against a pattern, or one that is taken apart: arguments, variables. */
export type Allowed = RegExp | 'command' | 'environment'

export const allowedDirectives: Readonly<Record<'Unit' | 'Service' | 'Install', Record<string, Allowed>>> = {
  Unit: {
    // For the reader of the file; ours stays, because it names the project.
    Description: /^.*$/,
    Documentation: /^.*$/,
    StartLimitIntervalSec: seconds,
    StartLimitBurst: count,
  },
  Service: {
    ExecStart: 'command',
    ExecReload: 'command',
    Environment: 'environment',
    Restart: /^(always|on-failure)$/,
    RestartSec: seconds,
    TimeoutSec: seconds,
    TimeoutStartSec: seconds,
    TimeoutStopSec: seconds,
    RuntimeMaxSec: seconds,
    // Only less of the machine than others: never a negative one.
    Nice: /^(1?\d)$/,
    CPUWeight: /^\d{1,3}$/,
    IOWeight: /^\d{1,3}$/,
    CPUQuota: percent,
    MemoryMax: size,
    MemoryHigh: size,
    MemorySwapMax: size,
    TasksMax: count,
    LimitNOFILE: limit,
    LimitCORE: limit,
    LimitSTACK: limit,
    OOMScoreAdjust: /^\d{1,4}$/,
    KillSignal: /^SIG(TERM|INT|QUIT|HUP|USR1|USR2|WINCH)$/,
    SendSIGHUP: yesNo,
    SuccessExitStatus: /^\d{1,3}( \d{1,3})*$/,
    RestartPreventExitStatus: /^\d{1,3}( \d{1,3})*$/,
    // Tightening what is generated is always allowed.
    MemoryDenyWriteExecute: /^(yes|true|on|1)$/,
    PrivateNetwork: /^(yes|true|on|1)$/,
  },
  // Where it is wanted is ours to say; the usual line does no harm.
  Install: { WantedBy: /^multi-user\.target$/ },
}

/** Read, checked, and then ours is used. */
export const notTaken = new Set(['Description', 'Documentation', 'WantedBy'])
/** May stand there several times; of all others the last one counts. */
export const repeatable = new Set(['Environment'])
