/** Incidents, their templates and maintenances, in the admin API. */
import { z } from 'zod'
import {
  incidentChangeDocument,
  incidentCreateDocument,
  incidentEntryDocument,
  incidentEntryPageDocument,
  incidentUpdateCreateDocument,
} from './incident.ts'
import {
  incidentTemplateDocument,
  incidentTemplatePageDocument,
  incidentTemplateSetDocument,
} from './incident-template.ts'
import {
  maintenanceChangeDocument,
  maintenanceCreateDocument,
  maintenanceEntryDocument,
  maintenanceEntryPageDocument,
  maintenanceUpdateCreateDocument,
} from './maintenance.ts'
import { byId, byName, operation, pageQuery } from './operation.ts'

export const noticeOperations = {
  listIncidents: operation({
    method: 'GET',
    path: '/api/incidents',
    summary: 'Incidents, newest first, drafts among them',
    query: pageQuery.extend({ open: z.stringbool().optional().describe('only those that are not resolved') }),
    answer: { status: 200, document: incidentEntryPageDocument },
  }),
  createIncident: operation({
    method: 'POST',
    path: '/api/incidents',
    summary: 'Open an incident, or a draft of one',
    body: incidentCreateDocument,
    answer: { status: 201, document: incidentEntryDocument },
  }),
  readIncident: operation({
    method: 'GET',
    path: '/api/incidents/{id}',
    summary: 'An incident',
    params: byId,
    answer: { status: 200, document: incidentEntryDocument },
  }),
  changeIncident: operation({
    method: 'PATCH',
    path: '/api/incidents/{id}',
    summary: 'Change what an incident is called and concerns, or publish a draft',
    params: byId,
    body: incidentChangeDocument,
    answer: { status: 200, document: incidentEntryDocument },
  }),
  updateIncident: operation({
    method: 'POST',
    path: '/api/incidents/{id}/updates',
    summary: 'Tell more about an incident; with the status resolved it ends',
    params: byId,
    body: incidentUpdateCreateDocument,
    answer: { status: 201, document: incidentEntryDocument },
  }),
  removeIncident: operation({
    method: 'DELETE',
    path: '/api/incidents/{id}',
    summary: 'Remove an incident, as if it had never been written',
    params: byId,
    answer: { status: 204 },
  }),
  listIncidentTemplates: operation({
    method: 'GET',
    path: '/api/incident-templates',
    summary: 'Templates of incidents, by name',
    query: pageQuery,
    answer: { status: 200, document: incidentTemplatePageDocument },
  }),
  setIncidentTemplate: operation({
    method: 'PUT',
    path: '/api/incident-templates/{name}',
    summary: 'Keep a template of incidents under a name',
    params: byName,
    body: incidentTemplateSetDocument,
    answer: { status: 200, document: incidentTemplateDocument },
  }),
  removeIncidentTemplate: operation({
    method: 'DELETE',
    path: '/api/incident-templates/{name}',
    summary: 'Remove a template of incidents',
    params: byName,
    answer: { status: 204 },
  }),
  listMaintenances: operation({
    method: 'GET',
    path: '/api/maintenances',
    summary: 'Maintenances, newest first',
    query: pageQuery,
    answer: { status: 200, document: maintenanceEntryPageDocument },
  }),
  createMaintenance: operation({
    method: 'POST',
    path: '/api/maintenances',
    summary: 'Announce a maintenance, once or again and again',
    body: maintenanceCreateDocument,
    answer: { status: 201, document: maintenanceEntryDocument },
  }),
  readMaintenance: operation({
    method: 'GET',
    path: '/api/maintenances/{id}',
    summary: 'A maintenance',
    params: byId,
    answer: { status: 200, document: maintenanceEntryDocument },
  }),
  changeMaintenance: operation({
    method: 'PATCH',
    path: '/api/maintenances/{id}',
    summary: 'Change a maintenance or move it',
    params: byId,
    body: maintenanceChangeDocument,
    answer: { status: 200, document: maintenanceEntryDocument },
  }),
  updateMaintenance: operation({
    method: 'POST',
    path: '/api/maintenances/{id}/updates',
    summary: 'Tell more about the window that is under way or next; with the status completed it ends early',
    params: byId,
    body: maintenanceUpdateCreateDocument,
    answer: { status: 201, document: maintenanceEntryDocument },
  }),
  cancelMaintenance: operation({
    method: 'DELETE',
    path: '/api/maintenances/{id}',
    summary: 'Cancel a maintenance: no window begins any more, and one that is under way ends',
    params: byId,
    answer: { status: 204 },
  }),
} as const
