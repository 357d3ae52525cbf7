/** Every published document, once. Their JSON Schemas, the API's description and the tests are made from this list. */
import { candidatePageDocument } from './adoption.ts'
import { alertAcknowledgeDocument, alertDocument, alertPageDocument } from './alert.ts'
import { alertmanagerAlertsDocument } from './alertmanager-alerts.ts'
import { alertmanagerWebhookDocument } from './alertmanager-webhook.ts'
import { applyOutcomeDocument } from './apply.ts'
import { auditPageDocument } from './audit.ts'
import {
  channelCreateDocument,
  channelCreatedDocument,
  channelDocument,
  channelPageDocument,
  channelTestDocument,
} from './channel.ts'
import { deployRequestDocument } from './deploy-request.ts'
import type { Document } from './document.ts'
import { environmentFileDocument } from './environment-file.ts'
import { eventDocument } from './event.ts'
import { forgeDocument, hookCreateDocument, hookCreatedDocument, statusesSetDocument } from './forge.ts'
import { forgePushDocument, hookIgnoredDocument } from './forge-push.ts'
import { handbookIndexDocument } from './handbook-index.ts'
import { healthDocument } from './health.ts'
import { heartbeatDocument, heartbeatPageDocument, heartbeatSetDocument } from './heartbeat.ts'
import {
  incidentChangeDocument,
  incidentCreateDocument,
  incidentDocument,
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
  maintenanceDocument,
  maintenanceEntryDocument,
  maintenanceEntryPageDocument,
  maintenanceUpdateCreateDocument,
} from './maintenance.ts'
import { problemDocument } from './problem.ts'
import { projectDocument, projectPageDocument } from './project.ts'
import { projectChangeDocument } from './project-change.ts'
import { projectCreateDocument } from './project-create.ts'
import { prometheusAlertsDocument } from './prometheus-alerts.ts'
import { prometheusErrorDocument } from './prometheus-api.ts'
import { prometheusQueryDocument } from './prometheus-query.ts'
import { prometheusRulesDocument } from './prometheus-rules.ts'
import { prometheusTargetsDocument } from './prometheus-targets.ts'
import { readinessDocument } from './readiness.ts'
import {
  deployKeyCreateDocument,
  hostKeyListDocument,
  hostKeysPinDocument,
  repositoryAccessDocument,
  repositoryTokenSetDocument,
} from './repository-access.ts'
import { repositorySettingsDocument } from './repository-settings.ts'
import { ruleFileDocument } from './rule-file.ts'
import { runDocument, runPageDocument } from './run.ts'
import { holdRequestDocument, rollbackRequestDocument, runRequestDocument } from './run-request.ts'
import { scrapeConfigDocument } from './scrape-config.ts'
import { serviceDocument } from './service.ts'
import { serviceEntryDocument, serviceEntryPageDocument, serviceLookDocument } from './service-entry.ts'
import { serviceHistoryDocument } from './service-history.ts'
import { sessionDocument } from './session.ts'
import { silenceCreateDocument, silenceDocument, silencePageDocument } from './silence.ts'
import { statusDocument } from './status.ts'
import { noticesEventDocument, servicesEventDocument } from './status-event.ts'
import { statuspageStatusDocument, statuspageSummaryDocument } from './statuspage.ts'
import {
  tokenCreateDocument,
  tokenCreatedDocument,
  tokenDocument,
  tokenPageDocument,
  tokenRotateDocument,
} from './token.ts'
import { unitLogDocument } from './unit-log.ts'
import {
  variableChangeDocument,
  variableListDocument,
  variableRestoreDocument,
  variableRevisionPageDocument,
} from './variable.ts'
import { versionDocument } from './version.ts'
import { watchedChangeDocument, watchedCreateDocument } from './watched-service.ts'

export const documents: readonly Document[] = [
  healthDocument,
  versionDocument,
  readinessDocument,
  problemDocument,

  sessionDocument,
  tokenCreateDocument,
  tokenCreatedDocument,
  tokenDocument,
  tokenPageDocument,
  tokenRotateDocument,
  eventDocument,
  auditPageDocument,

  deployRequestDocument,
  runDocument,
  runPageDocument,
  runRequestDocument,
  rollbackRequestDocument,
  holdRequestDocument,
  unitLogDocument,
  projectCreateDocument,
  projectChangeDocument,
  projectDocument,
  projectPageDocument,
  repositorySettingsDocument,
  candidatePageDocument,
  variableListDocument,
  variableChangeDocument,
  variableRestoreDocument,
  variableRevisionPageDocument,
  environmentFileDocument,
  applyOutcomeDocument,

  repositoryAccessDocument,
  deployKeyCreateDocument,
  hostKeyListDocument,
  hostKeysPinDocument,
  repositoryTokenSetDocument,

  forgeDocument,
  forgePushDocument,
  hookCreateDocument,
  hookCreatedDocument,
  hookIgnoredDocument,
  statusesSetDocument,

  watchedCreateDocument,
  watchedChangeDocument,
  serviceEntryDocument,
  serviceEntryPageDocument,
  serviceLookDocument,

  statusDocument,
  serviceDocument,
  serviceHistoryDocument,
  incidentDocument,
  maintenanceDocument,
  servicesEventDocument,
  noticesEventDocument,
  statuspageStatusDocument,
  statuspageSummaryDocument,

  incidentEntryDocument,
  incidentEntryPageDocument,
  incidentCreateDocument,
  incidentChangeDocument,
  incidentUpdateCreateDocument,
  incidentTemplateDocument,
  incidentTemplatePageDocument,
  incidentTemplateSetDocument,
  maintenanceEntryDocument,
  maintenanceEntryPageDocument,
  maintenanceCreateDocument,
  maintenanceChangeDocument,
  maintenanceUpdateCreateDocument,

  handbookIndexDocument,

  prometheusErrorDocument,
  prometheusTargetsDocument,
  prometheusRulesDocument,
  prometheusAlertsDocument,
  prometheusQueryDocument,
  scrapeConfigDocument,
  ruleFileDocument,

  alertmanagerAlertsDocument,
  alertmanagerWebhookDocument,
  alertDocument,
  alertPageDocument,
  alertAcknowledgeDocument,
  silenceDocument,
  silencePageDocument,
  silenceCreateDocument,
  channelDocument,
  channelPageDocument,
  channelCreateDocument,
  channelCreatedDocument,
  channelTestDocument,
  heartbeatDocument,
  heartbeatPageDocument,
  heartbeatSetDocument,
]
