/** The services on this machine that others have made, as systemd describes them. */
import { listServices, showUnits } from '../commands/systemctl.ts'
import type { SystemdCalls } from './systemd-calls.ts'
import { readShown } from './systemd-facts.ts'
import type { ForeignUnit } from './unit-engine.ts'

/** Where operators put unit files; what packages bring lies elsewhere. */
const places = ['/etc/systemd/system/', '/usr/local/lib/systemd/system/']
const ours = /^(qd-|quarterdeck)/

const properties = [
  ...['Id', 'Description', 'FragmentPath', 'LoadState', 'ActiveState', 'Type', 'User', 'DynamicUser'],
  ...['WorkingDirectory', 'ExecStart', 'MainPID'],
]

/** `adoptedBy` tells the project of a service, if it has one already. */
export async function foreignUnits(
  calls: SystemdCalls,
  adoptedBy: (service: string) => string | null,
): Promise<ForeignUnit[]> {
  const names = (await calls.must(listServices()))
    .split('\n')
    .map(line => line.trim().split(/\s+/)[0] ?? '')
    .filter(name => name.endsWith('.service') && !ours.test(name))
  if (names.length === 0) return []
  const shown = readShown(await calls.must(showUnits(names, properties)))
  return shown.filter(isOperators).map(value => foreignUnit(name => value.get(name) ?? '', adoptedBy))
}

function isOperators(value: ReadonlyMap<string, string>): boolean {
  const file = value.get('FragmentPath') ?? ''
  return value.get('LoadState') === 'loaded' && places.some(place => file.startsWith(place))
}

function foreignUnit(
  value: (name: string) => string,
  adoptedBy: (service: string) => string | null,
): ForeignUnit {
  const pid = Number(value('MainPID'))
  const [, words = ''] = /argv\[\]=(.*?) ; ignore_errors=/.exec(value('ExecStart')) ?? []
  return {
    name: value('Id'),
    description: value('Description'),
    state: value('ActiveState'),
    type: value('Type'),
    user: value('User') || 'root',
    hasDynamicUser: value('DynamicUser') === 'yes',
    // It may begin with `!` or `-`, which say what a missing one means.
    directory: value('WorkingDirectory').replace(/^[!-]+/, ''),
    start: words.split(' ').filter(Boolean),
    pid: pid > 0 ? pid : null,
    adoptedBy: adoptedBy(value('Id')),
  }
}
