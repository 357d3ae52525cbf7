/** Which sections have which words: a bit for each word, kept by the section’s number. */

export class Marks {
  #bits
  /** Those that have any, so that nobody looks at all others. @type {number[]} */
  #marked = []

  /** @param {number} size above every number */
  constructor(size) {
    this.#bits = new Uint16Array(size)
  }

  /**
   * @param {number} section
   * @param {number} word its place in the query
   */
  add(section, word) {
    const bits = this.#bits[section] ?? 0
    if (bits === 0) this.#marked.push(section)
    this.#bits[section] = bits | (1 << word)
  }

  /** @param {number} section */
  has(section) {
    return this.#bits[section] !== 0
  }

  /**
   * The sections that have all of so many words.
   * @param {number} words
   */
  withAll(words) {
    const all = (1 << words) - 1
    return this.#marked.filter(section => this.#bits[section] === all)
  }

  /**
   * Those with most of the words, and no fewer than are wanted as long as there are any.
   * @param {number} wanted
   */
  withMost(wanted) {
    /** @type {number[][]} */
    const byCount = []
    for (const section of this.#marked) {
      const count = bitsIn(this.#bits[section] ?? 0)
      byCount[count] ??= []
      byCount[count].push(section)
    }
    /** @type {number[]} */
    const most = []
    while (byCount.length > 0 && most.length < wanted) most.push(...(byCount.pop() ?? []))
    return most
  }
}

/** @param {number} bits */
function bitsIn(bits) {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count++
  return count
}
