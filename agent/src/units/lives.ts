/** What every engine of units is: a life for each unit, made when it is first asked for, and those who hear of changes. */
import type { KnownUnit, UnitEnd } from './unit-engine.ts'

export interface Life {
  readonly kept: { ended(signal: AbortSignal): Promise<UnitEnd> }
  settle(): void
  stop(options: { limitMs: number }): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
  close(): void
}

export abstract class Lives<L extends Life> {
  /** By project and process, such as `hello/web`. */
  protected readonly units = new Map<string, L>()
  readonly #listeners = new Set<(project: string) => void>()

  /** Makes one and puts it among the others. */
  protected abstract add(project: string, process: string): L
  /** Undefined: never started here, or removed. */
  protected abstract known(unit: L): KnownUnit | undefined

  settle(project: string, process: string): void {
    this.unit(project, process).settle()
  }

  stop(project: string, process: string, options: { limitMs: number }): Promise<void> {
    return this.unit(project, process).stop(options)
  }

  start(project: string, process: string): Promise<void> {
    return this.unit(project, process).start()
  }

  async remove(project: string, process?: string): Promise<void> {
    const names = process ? [process] : this.list(project).map(({ name }) => name)
    await Promise.all(names.map(name => this.unit(project, name).remove()))
  }

  list(project?: string): readonly KnownUnit[] {
    const known = [...this.units.values()].flatMap(unit => this.known(unit) ?? [])
    return project === undefined ? known : known.filter(unit => unit.project === project)
  }

  async ended(project: string, process: string, signal: AbortSignal): Promise<UnitEnd> {
    return this.unit(project, process).kept.ended(signal)
  }

  onChange(listener: (project: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    for (const unit of this.units.values()) unit.close()
  }

  /** Also one that nobody has started yet: whatever is asked of a unit waits for its turn. */
  protected unit(project: string, process: string): L {
    return this.units.get(`${project}/${process}`) ?? this.add(project, process)
  }

  protected changed(project: string): void {
    for (const listener of this.#listeners) listener(project)
  }
}
