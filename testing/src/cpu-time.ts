/** How long the processor took for it: what else the machine does meanwhile does not count. */
export function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  return process.cpuUsage(before).user / 1000
}
