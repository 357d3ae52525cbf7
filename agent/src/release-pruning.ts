/** Which releases and environments are kept, and the removal of the others. */
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from './layout.ts'
import { addToNote, readNote } from './release-notes.ts'
import { removeTree } from './remove-tree.ts'

const dayMs = 86_400_000

export interface PruneRules {
  readonly now: Date
  /** So many of the newest verified releases stay, whatever their age and size. */
  readonly keepVerified?: number
  /** Any other stays for so long, if there is room. */
  readonly days?: number
  /** How much all releases together may take for those others to stay. */
  readonly diskBytes: number
}

export interface Pruned {
  readonly releases: readonly string[]
  readonly environments: readonly string[]
}

export interface KeptRelease {
  readonly sha: string
  readonly environment: string | null | undefined
  /** When it was made or last verified. */
  readonly usedMs: number
  /** Null: never. */
  readonly verifiedMs: number | null
  readonly bytes: number
}

export async function pruneReleases(
  layout: Layout,
  current: string | null,
  rules: PruneRules,
): Promise<Pruned> {
  const releases = await releasesIn(layout)
  const kept = keptOf(releases, current, rules)
  const gone = releases.filter(release => !kept.includes(release))
  for (const { sha } of gone) {
    await removeTree(layout.release(sha))
    await rm(noteFile(layout, sha), { force: true })
  }
  await removeLeftovers(layout, kept)
  return {
    releases: gone.map(({ sha }) => sha),
    environments: await removeEnvironments(layout, current, kept),
  }
}

/** The rule itself: by dates and sizes alone. */
export function keptOf(
  releases: readonly KeptRelease[],
  current: string | null,
  { now, keepVerified = 5, days = 14, diskBytes }: PruneRules,
): KeptRelease[] {
  const verified = releases
    .filter(({ verifiedMs }) => verifiedMs !== null)
    .toSorted((a, b) => b.verifiedMs! - a.verifiedMs!)
    .slice(0, Math.max(keepVerified, 1))
  const always = releases.filter(release => release.sha === current || verified.includes(release))
  const young = releases
    .filter(release => !always.includes(release) && now.getTime() - release.usedMs < days * dayMs)
    .toSorted((a, b) => b.usedMs - a.usedMs)
  // The newest first: once the limit is passed, all that are older go.
  const withinLimit = young.filter((_, index) => sum([...always, ...young.slice(0, index + 1)]) <= diskBytes)
  return [...always, ...withinLimit]
}

const sum = (releases: readonly KeptRelease[]): number =>
  releases.reduce((total, { bytes }) => total + bytes, 0)

async function releasesIn(layout: Layout): Promise<KeptRelease[]> {
  const names = await namesIn(layout.releases)
  const shas = names.filter(name => /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(name))
  return await Promise.all(shas.map(sha => describe(layout, sha)))
}

async function describe(layout: Layout, sha: string): Promise<KeptRelease> {
  const note = readNote(noteFile(layout, sha))
  const madeMs = note.made_at ? Date.parse(note.made_at) : (await lstat(layout.release(sha))).mtimeMs
  const verifiedMs = note.verified_at ? Date.parse(note.verified_at) : null
  const bytes = note.bytes ?? (await treeBytes(layout.release(sha)))
  // Measured once, and here rather than in a deploy, which has no time to spare.
  if (note.bytes === undefined) addToNote(noteFile(layout, sha), { bytes })
  return { sha, environment: note.environment, usedMs: Math.max(madeMs, verifiedMs ?? 0), verifiedMs, bytes }
}

/** What the tree takes on the disk; links are not followed. */
async function treeBytes(path: string): Promise<number> {
  const found = await lstat(path)
  let bytes = found.blocks * 512
  if (found.isDirectory()) for (const name of await readdir(path)) bytes += await treeBytes(join(path, name))
  return bytes
}

/** Half-made and half-removed releases, and notes without a release. */
async function removeLeftovers(layout: Layout, kept: readonly KeptRelease[]): Promise<void> {
  const known = new Set(kept.flatMap(({ sha }) => [sha, `${sha}.json`]))
  for (const name of await namesIn(layout.releases)) {
    if (!known.has(name)) await removeTree(join(layout.releases, name))
  }
}

/** If it is not known which one the running release uses, none goes. */
async function removeEnvironments(
  layout: Layout,
  current: string | null,
  kept: readonly KeptRelease[],
): Promise<string[]> {
  if (kept.some(({ sha, environment }) => sha === current && environment === undefined)) return []
  const used = new Set(kept.map(({ environment }) => environment))
  const unused = (await namesIn(layout.environments)).filter(name => !used.has(name))
  for (const name of unused) await removeTree(join(layout.environments, name))
  return unused
}

const noteFile = (layout: Layout, sha: string): string => `${layout.release(sha)}.json`

const namesIn = (directory: string): Promise<string[]> => readdir(directory).catch(() => [])
