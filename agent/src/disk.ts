/** How full the disk of this machine is: the one that holds the home, and with it all projects. For the rules that control ships. */
import type { StatsFs } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Kit } from '@quarterdeck/kit'
import { Gauge } from 'prom-client'
import type { Machine } from './machine.ts'

export function showDisk({ metrics }: Kit, { name: machine, home }: Pick<Machine, 'name' | 'home'>): void {
  const show = (name: string, help: string, blocksOf: (stats: StatsFs) => number) =>
    new Gauge({
      ...{ name, help, labelNames: ['machine', 'mount'], registers: [metrics.registry] },
      async collect() {
        const stats = await statfs(home)
        this.set({ machine, mount: await mountOf(home) }, blocksOf(stats) * stats.bsize)
      },
    })
  show('machine_disk_size_bytes', 'Of the disk that holds the home.', ({ blocks }) => blocks)
  show('machine_disk_free_bytes', 'What is free of it for users.', ({ bavail }) => bavail)
}

/** Where the file system begins that a path lies on. */
async function mountOf(path: string): Promise<string> {
  const parent = dirname(path)
  if (parent === path || (await stat(parent)).dev !== (await stat(path)).dev) return path
  return mountOf(parent)
}
