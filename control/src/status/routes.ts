import { operations } from '@quarterdeck/contract'
import { cursorOf, type Route, read, write } from '#http'
import type { Incidents } from './incidents/incidents.ts'
import type { IncidentTemplates } from './incidents/templates.ts'
import type { Maintenances } from './maintenances/maintenances.ts'

const idCursor = /^[0-9a-f-]{36}$/
const nameCursor = /^[a-z][a-z0-9-]{0,62}$/

export interface NoticeRoutes {
  readonly incidents: Incidents
  readonly templates: IncidentTemplates
  readonly maintenances: Maintenances
}

export const noticeRoutes = ({ incidents, templates, maintenances }: NoticeRoutes): Route[] => [
  read(operations.listIncidents, ({ query }, transaction) =>
    incidents.list(transaction, cursorOf(query, idCursor), query.open),
  ),
  write(operations.createIncident, ({ origin, body }, transaction) =>
    incidents.open(transaction, origin, body),
  ),
  read(operations.readIncident, ({ params }, transaction) => incidents.read(transaction, params.id)),
  write(operations.changeIncident, ({ origin, params, body }, transaction) =>
    incidents.change(transaction, origin, params.id, body),
  ),
  write(operations.updateIncident, ({ origin, params, body }, transaction) =>
    incidents.update(transaction, origin, params.id, body),
  ),
  write(operations.removeIncident, ({ origin, params }, transaction) =>
    incidents.remove(transaction, origin, params.id),
  ),
  read(operations.listIncidentTemplates, ({ query }, transaction) =>
    templates.list(transaction, cursorOf(query, nameCursor)),
  ),
  write(operations.setIncidentTemplate, ({ origin, params, body }, transaction) =>
    templates.set(transaction, origin, params.name, body),
  ),
  write(operations.removeIncidentTemplate, ({ origin, params }, transaction) =>
    templates.remove(transaction, origin, params.name),
  ),
  read(operations.listMaintenances, ({ query }, transaction) =>
    maintenances.list(transaction, cursorOf(query, idCursor)),
  ),
  write(operations.createMaintenance, ({ origin, body }, transaction) =>
    maintenances.plan(transaction, origin, body),
  ),
  read(operations.readMaintenance, ({ params }, transaction) => maintenances.read(transaction, params.id)),
  write(operations.changeMaintenance, ({ origin, params, body }, transaction) =>
    maintenances.change(transaction, origin, params.id, body),
  ),
  write(operations.updateMaintenance, ({ origin, params, body }, transaction) =>
    maintenances.update(transaction, origin, params.id, body),
  ),
  write(operations.cancelMaintenance, ({ origin, params }, transaction) =>
    maintenances.cancel(transaction, origin, params.id),
  ),
]
