/** The one table of route × role. What is not in it is denied: a route without an entry stops the start. */
import {
  Fault,
  metricsOperations,
  type OperationName,
  operations,
  type Role,
  roles,
} from '@quarterdeck/contract'
import type { Access } from '#http'
import type { Identities } from './identity.ts'

/** `loopback` stands for whoever asks from the machine itself, with or without a token. */
export type Admitted = Role | 'loopback'

const everyone: readonly Admitted[] = roles
const viewers: readonly Admitted[] = ['viewer', 'deployer', 'operator']
/** Runs and their logs are for the deploy token of the project too: a CI job shows them. */
const runReaders: readonly Admitted[] = ['deploy', ...viewers]
const deployers: readonly Admitted[] = ['deployer', 'operator']
const operatorsAlone: readonly Admitted[] = ['operator']
/** Programs that report: from the machine itself without a token. */
const machines: readonly Admitted[] = ['loopback', ...deployers]

/** What every host answers, whoever asks. */
const everyHost = {
  'GET /healthz': everyone,
  'GET /readyz': everyone,
  'GET /version': everyone,
  'GET /metrics': everyone,
  'GET /': everyone,
}

/** The admin API, operation by operation. */
const adminApi: Record<OperationName, readonly Admitted[]> = {
  readOpenapi: everyone,
  readSession: everyone,
  readReadiness: viewers,
  followEvents: viewers,
  listAudit: operatorsAlone,
  listTokens: operatorsAlone,
  createToken: operatorsAlone,
  revokeToken: operatorsAlone,
  rotateToken: operatorsAlone,

  deploy: ['deploy', ...deployers],
  // Whose it is, its signature says.
  receiveHook: everyone,

  listProjects: viewers,
  createProject: operatorsAlone,
  listServices: viewers,
  readService: viewers,
  watchService: operatorsAlone,
  changeService: operatorsAlone,
  removeService: operatorsAlone,
  // It makes this machine ask another.
  lookAtService: operatorsAlone,
  readProject: viewers,
  changeProject: operatorsAlone,
  archiveProject: operatorsAlone,
  listCandidates: operatorsAlone,
  apply: operatorsAlone,
  listDeployTokens: operatorsAlone,
  createDeployToken: operatorsAlone,
  readForge: viewers,
  createHook: operatorsAlone,
  removeHook: operatorsAlone,
  setStatuses: operatorsAlone,
  removeStatuses: operatorsAlone,
  listVariables: viewers,
  listVariableRevisions: viewers,
  // Who sets them decides what runs, as with the settings of a project.
  changeVariables: operatorsAlone,
  restoreVariables: operatorsAlone,
  readRepositoryAccess: viewers,
  createDeployKey: operatorsAlone,
  removeDeployKey: operatorsAlone,
  listHostKeys: operatorsAlone,
  pinHostKeys: operatorsAlone,
  setRepositoryToken: operatorsAlone,
  removeRepositoryToken: operatorsAlone,
  listProjectRuns: runReaders,
  startRun: deployers,
  rollback: deployers,
  holdProject: deployers,
  resumeProject: deployers,
  startUnits: deployers,
  stopUnits: deployers,
  restartUnits: deployers,
  readUnitLog: viewers,

  listRuns: viewers,
  readRun: runReaders,
  followRunLog: runReaders,
  rerun: deployers,
  cancelRun: deployers,

  // A Prometheus on this machine has no token, and no more than this to say.
  receiveAlerts: machines,
  receiveAlertmanager: machines,
  beat: machines,
  listAlerts: viewers,
  readAlert: viewers,
  acknowledgeAlert: deployers,
  endAlert: deployers,
  listSilences: viewers,
  createSilence: deployers,
  endSilence: deployers,
  listChannels: viewers,
  readChannel: viewers,
  createChannel: operatorsAlone,
  replaceChannel: operatorsAlone,
  removeChannel: operatorsAlone,
  testChannel: operatorsAlone,
  // Whose it is, its secret says.
  receiveChat: everyone,
  listHeartbeats: viewers,
  setHeartbeat: operatorsAlone,
  removeHeartbeat: operatorsAlone,

  listIncidents: viewers,
  createIncident: deployers,
  readIncident: viewers,
  changeIncident: deployers,
  updateIncident: deployers,
  removeIncident: operatorsAlone,
  listIncidentTemplates: viewers,
  setIncidentTemplate: deployers,
  removeIncidentTemplate: deployers,
  listMaintenances: viewers,
  createMaintenance: deployers,
  readMaintenance: viewers,
  changeMaintenance: deployers,
  updateMaintenance: deployers,
  cancelMaintenance: deployers,
}

/** The handbook is for everybody. */
const docsHost = {
  'GET /index.json': everyone,
  'GET /search': everyone,
  'GET /search.json': everyone,
  'GET /llms.txt': everyone,
  'GET /llms-full.txt': everyone,
  'GET /sitemap.xml': everyone,
  'GET /feed.atom': everyone,
  'GET /*': everyone,
}

/** The metrics host is for the machine itself and for operators. Its health, readiness and version are open as everywhere. */
const insiders: readonly Admitted[] = ['loopback', 'operator']
const metricsHost = {
  'GET /metrics': insiders,
  'GET /': insiders,
  ...Object.fromEntries(
    Object.values(metricsOperations).map(({ method, path }) => [`${method} ${path}`, insiders]),
  ),
}

/** What the status host tells everybody. */
const statusHost = {
  'GET /status.json': everyone,
  'GET /services/{id}.json': everyone,
  'GET /events': everyone,
  'GET /api/v2/summary.json': everyone,
  'GET /api/v2/status.json': everyone,
  'GET /feed.atom': everyone,
  'GET /badge/{id}.svg': everyone,
  'GET /status.schema.json': everyone,
  'GET /services/{id}': everyone,
  'GET /incidents/{id}': everyone,
  'GET /history': everyone,
  'GET /history/{month}': everyone,
  'GET /assets/{file}.js': everyone,
}

/** By host, where it differs from what every host answers. */
const hostRoutes: Record<string, Readonly<Record<string, readonly Admitted[]>>> = {
  metrics: metricsHost,
  status: statusHost,
  docs: docsHost,
}

/** Who may use a route of a host; undefined when the table does not know it. */
export function admitted(host: string, method: string, path: string): readonly Admitted[] | undefined {
  const route = `${method === 'HEAD' ? 'GET' : method} ${path}`
  const own = hostRoutes[host] ?? {}
  if (Object.hasOwn(own, route)) return own[route]
  if (Object.hasOwn(everyHost, route)) return everyHost[route as keyof typeof everyHost]
  return host === 'admin' ? adminRoutes.get(route) : undefined
}

const adminRoutes: ReadonlyMap<string, readonly Admitted[]> = new Map(
  Object.entries(adminApi).map(([name, who]) => {
    const { method, path } = operations[name as OperationName]
    return [`${method} ${path}`, who]
  }),
)

/** Throws unless one who is `role`, and on the machine itself or not, is among those admitted. */
export function admit(who: readonly Admitted[], role: Role, loopback: boolean): void {
  if (who.includes(role) || (loopback && who.includes('loopback'))) return
  throw role === 'nobody'
    ? new Fault('unauthenticated', 'This needs a token, and none was sent.')
    : new Fault('forbidden', `The role ${role} may not do this; it takes ${who.join(' or ')}.`)
}

/** The table as one host's routes are checked against it. */
export const accessOf = (host: string, identities: Identities): Access => ({
  identify: caller => identities.identify(caller),
  isOpen: (method, path) => admitted(host, method, path)?.includes('nobody'),
  admit(method, path, { role, projects }, { address, loopback }, { name }) {
    const who = admitted(host, method, path) ?? []
    // Where a token is needed, an address that guessed too often is told to wait, with or without one.
    if (role === 'nobody' && !who.includes('nobody')) identities.refuseGuessing(address)
    admit(who, role, loopback)
    // A role that is limited to projects sees no difference between another's and none. What is open to nobody in
    // particular is open to all.
    if (role !== 'nobody' && projects && name !== undefined && !projects.includes(name))
      throw new Fault('forbidden', 'The token is for another project, or there is no such project.')
  },
})
