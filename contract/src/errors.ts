/**
 * The catalogue: every error of the environment, once. HTTP answers, messages of the command line and the
 * handbook's error pages are made from it.
 */
import { alertErrors } from './alert-errors.ts'
import { programErrors } from './program-errors.ts'
import { projectErrors } from './project-errors.ts'
import { requestErrors } from './request-errors.ts'

export type { ErrorEntry, ErrorFamily } from './error-entry.ts'

export const errors = { ...requestErrors, ...projectErrors, ...alertErrors, ...programErrors } as const

export type ErrorCode = keyof typeof errors
