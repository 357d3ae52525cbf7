/**
 * Program: moves itself into a cgroup and becomes another program. spawn() cannot do the first, and after the start
 * it would be too late: nspawn looks at its cgroup at once.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [cgroup = '', file = '', ...args] = process.argv.slice(2)
writeFileSync(join(cgroup, 'cgroup.procs'), '0')
process.execve!(file, [file, ...args], process.env)
