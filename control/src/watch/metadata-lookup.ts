/** Names lead wherever their owner says, also to where clouds tell the secrets of a machine: such an answer is none. */
import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isMetadataHost } from '@quarterdeck/contract'

/** Looks a name up as `lookup` does; without it, as the system does. */
export const withoutMetadata =
  (lookup: LookupFunction = systemLookup as LookupFunction): LookupFunction =>
  (host, options, done) =>
    lookup(host, options, (error, address, family) => {
      const found = Array.isArray(address) ? address.map(each => each.address) : [address]
      if (error || !found.some(isMetadataHost)) return done(error, address as string, family)
      done(Object.assign(new Error('It leads to a metadata address.'), { code: 'ENOTFOUND' }), '')
    })
