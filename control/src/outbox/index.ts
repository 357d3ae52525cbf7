export { backOffMs, DueWork, type DueWorkOptions } from './due-work.ts'
