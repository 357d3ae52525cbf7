/** The samples of the demo: what they are written in, the projects that each is deployed as, and where they lie. */
import { join } from 'node:path'
import { npm, type Program, python } from '../doctor/programs.ts'
import type { Runtime } from '../init/runtimes.ts'

export interface Sample {
  readonly runtime: Runtime
  readonly name: string
  /** As callers of the webhook name it. */
  readonly repository: string
  /** In the order in which a push reaches them: one that fails the first does not come to the second. */
  readonly projects: readonly SampleProject[]
  /** What it takes besides git. */
  readonly needs: Program
  /** Where the sentence stands that the printed command changes. */
  readonly file: string
}

export interface SampleProject {
  readonly name: string
  readonly group: 'development' | 'production'
}

export const samples: readonly Sample[] = [
  sample('python', python, 'app/web.py'),
  sample('node', npm, 'app/web.js'),
]

function sample(runtime: Runtime, needs: Program, file: string): Sample {
  const name = `hello-${runtime}`
  return {
    runtime,
    name,
    repository: `demo/${name}`,
    projects: [
      { name: `${name}-dev`, group: 'development' },
      { name, group: 'production' },
    ],
    needs,
    file,
  }
}

export const demoHome = (home: string): string => join(home, 'demo')

/** The bare repository that is pushed to. */
export const remoteOf = (home: string, { name }: Sample): string => join(demoHome(home), `${name}.git`)

/** The clone to play in. */
export const cloneOf = (home: string, { name }: Sample): string => join(demoHome(home), name)

/** Beside the hook that uses it. */
export const tokenFileOf = (home: string, sample: Sample, { name }: SampleProject): string =>
  join(remoteOf(home, sample), 'hooks', `${name}.token`)
