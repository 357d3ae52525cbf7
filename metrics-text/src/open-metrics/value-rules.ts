/** What the values of a point must be, whatever its type. */
import type { Sample } from '../page.ts'
import { PageError } from '../page-error.ts'

export function checkCount({ series, value, line }: Sample): void {
  if (!(value >= 0))
    throw new PageError(`${series.text} is ${value}, and what is counted is not negative`, line)
}

export function checkInteger({ series, value, line }: Sample): void {
  if (!Number.isInteger(value)) throw new PageError(`${series.text} is ${value}, which is not whole`, line)
}

export function checkCreated({ series, value, line }: Sample): void {
  if (!Number.isFinite(value)) throw new PageError(`${series.text} is ${value}, which is not a time`, line)
}

export function refuseLabel({ series, line }: Sample, label: string): void {
  if (series.labels.has(label)) throw new PageError(`${series.text} has the label ${label}`, line)
}
