/** An error that control answered, as one of ours: the same code, and a way out in words of the command line. */
import { type ErrorCode, errors, Fault, type FieldError, type Problem } from '@quarterdeck/contract'
import { GuidedFault } from './fail.ts'

/** Where the catalogue speaks to those who write requests. */
const remedies: Partial<Record<ErrorCode, string>> = {
  invalid_fields: 'Correct what is named above, then try again.',
  not_found: '`qd project list` names the projects, `qd runs` the runs, `qd watch list --all` the services.',
  unauthenticated:
    'On the control machine qd takes the token from the home; elsewhere set QUARTERDECK_TOKEN to one that counts.',
}

export function faultOf(status: number, body: unknown, url: string): Fault {
  const { code, detail, errors: fields, run, request_id } = (body ?? {}) as Partial<Problem>
  if (typeof code !== 'string' || typeof detail !== 'string') {
    const { origin } = new URL(url)
    return new Fault('control_unreachable', `${origin} answered ${status}, and not as Quarterdeck does.`)
  }
  const context = { fields: fieldErrors(fields), ...(run && { run }) }
  if (!Object.hasOwn(errors, code) || code === 'internal') {
    return new Fault('internal', `${detail} (${code}, request ${request_id})`, context)
  }
  const remedy = remedies[code]
  return remedy ? new GuidedFault(code, detail, remedy, context) : new Fault(code, detail, context)
}

const fieldErrors = (list: unknown): FieldError[] => (Array.isArray(list) ? (list as FieldError[]) : [])
