/** Checks rule files by themselves, for whoever writes them: nothing runs. */
import { FilesRefused } from '../../yaml-file.ts'
import { loadRules } from './load-files.ts'

export interface RuleFilesReport {
  /** Each with its file and line. */
  readonly problems: readonly string[]
  readonly groups: number
  readonly rules: number
}

export function checkRuleFiles(paths: readonly string[]): RuleFilesReport {
  try {
    const { groups } = loadRules(paths, 60_000)
    return {
      problems: [],
      groups: groups.length,
      rules: groups.reduce((sum, { rules }) => sum + rules.length, 0),
    }
  } catch (error) {
    if (!(error instanceof FilesRefused)) throw error
    return { problems: error.problems, groups: 0, rules: 0 }
  }
}
