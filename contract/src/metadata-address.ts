/**
 * Addresses at which a cloud tells each of its machines that machine’s own secrets. Whoever may have an address asked must not
 * get at them, so they are never asked.
 */

/** As `URL` writes them, whatever they were written as. */
const metadataHosts: ReadonlySet<string> = new Set(
  ['169.254.169.254', '169.254.170.2', '100.100.100.200', '[fd00:ec2::254]'].flatMap(host => [
    host,
    ...(host.startsWith('[') ? [] : [hostnameOf(`[::ffff:${host}]`)]),
  ]),
)

/** `host` is a name or an address, IPv6 with or without brackets. */
export function isMetadataHost(host: string): boolean {
  const written = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return metadataHosts.has(hostnameOf(written))
}

function hostnameOf(host: string): string {
  try {
    return new URL(`http://${host}`).hostname
  } catch {
    return host
  }
}
