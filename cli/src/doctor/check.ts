/** One thing that a capability needs, and whether this machine has it. */

export interface Check {
  /** What one can do with it. */
  capability: string
  /** What is needed for that. */
  name: string
  /** Without what is required nothing runs; the rest widens what can be done. */
  required: boolean
  ok: boolean
  /** What was found, or what is wrong. */
  found: string
  /** How to get it; null when it is there. */
  remedy: string | null
}

export const good = (capability: string, name: string, found: string): Check => ({
  capability,
  name,
  required: true,
  ok: true,
  found,
  remedy: null,
})

export const bad = (capability: string, name: string, found: string, remedy: string): Check => ({
  capability,
  name,
  required: true,
  ok: false,
  found,
  remedy,
})
