/** Sums that do not lose the small parts of large numbers (Kahan's, as Neumaier improved it), as Prometheus makes them. */

export class ExactSum {
  #sum = 0
  #lost = 0

  add(value: number): void {
    const next = this.#sum + value
    this.#lost += Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - next + value : value - next + this.#sum
    this.#sum = next
  }

  /** Without what was lost. */
  get rough(): number {
    return this.#sum
  }

  get value(): number {
    return Number.isFinite(this.#sum) ? this.#sum + this.#lost : this.#sum
  }
}
