/** Why a project did not answer, in words for whoever is woken by it. Inner addresses stay inside. */
import { type ErrorCode, Fault } from '@quarterdeck/contract'

const noWay: [ErrorCode, string] = ['upstream_refused', 'its machine cannot be reached']
const cutOff: [ErrorCode, string] = ['upstream_broken', 'it closed the connection before it answered']
const notHttp: [ErrorCode, string] = ['upstream_broken', 'what it answered is not HTTP']

const causes: Record<string, [ErrorCode, string]> = {
  ECONNREFUSED: ['upstream_refused', 'nothing listens where its web process should be'],
  EHOSTUNREACH: noWay,
  ENETUNREACH: noWay,
  EHOSTDOWN: noWay,
  ENOTFOUND: noWay,
  EAI_AGAIN: noWay,
  ETIMEDOUT: ['upstream_timeout', 'it did not take the connection in time'],
  NO_ANSWER: ['upstream_timeout', 'it did not begin to answer in time'],
  HPE_HEADER_OVERFLOW: ['upstream_broken', 'the headers of its answer are larger than 16 KiB'],
}

export function upstreamFault(project: string, error: NodeJS.ErrnoException): Fault {
  const { code = '' } = error
  const [fault, cause] = causes[code] ?? (/^(HPE|ERR)_/.test(code) ? notHttp : cutOff)
  return new Fault(fault, `The project ${project} did not answer: ${cause}.`, { cause: error })
}

export const absent = (project: string): Fault =>
  new Fault(
    'upstream_absent',
    `The project ${project} did not answer: it was never deployed, or it has no web process.`,
  )

/** An error as the system's own, by whose code the cause is found. */
export const errorWith = (code: string, message: string): NodeJS.ErrnoException =>
  Object.assign(new Error(message), { code })
