import { Type } from 'typebox'
import type { Cached } from '../lib/stale-fallback-cache.js'
import { UnixSeconds } from './parameters.js'

/** Fields of an answer that may be the last copy of what an upstream said. `upstream`: such as `the order book`. */
export const StaleCopy = (upstream: string) => ({
  stale: Type.Optional(
    Type.Boolean({ description: `true: ${upstream} does not answer now; this is its last copy` }),
  ),
  as_of: Type.Optional({ ...UnixSeconds, description: 'when that copy was made, Unix seconds' }),
})

export const presentStaleCopy = ({ isStale, asOfMs }: Pick<Cached<unknown>, 'isStale' | 'asOfMs'>) =>
  isStale ? { stale: true, as_of: Math.floor(asOfMs / 1000) } : {}
