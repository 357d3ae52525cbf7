/**
 * Forward migrations, in order. An upgrade expands first (adds tables and columns that the version before ignores) and
 * contracts a version later, so that the version before still works on the newer database.
 */
import type { Migration } from '../migration.ts'
import { foundation } from './0001-foundation.ts'
import { projectsAndRuns } from './0002-projects-and-runs.ts'
import { forges } from './0003-forges.ts'
import { variables } from './0004-variables.ts'
import { repositorySettings } from './0005-repository-settings.ts'
import { privateRepositories } from './0006-private-repositories.ts'
import { watch } from './0007-watch.ts'
import { services } from './0008-services.ts'
import { alerts } from './0009-alerts.ts'
import { metricsState } from './0010-metrics-state.ts'
import { notices } from './0011-notices.ts'

export const migrations: readonly Migration[] = [
  foundation,
  projectsAndRuns,
  forges,
  variables,
  repositorySettings,
  privateRepositories,
  watch,
  services,
  alerts,
  metricsState,
  notices,
]
