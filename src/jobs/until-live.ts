import type { ChainStatus } from '../core/chain-status.js'
import { pollUntil } from '../lib/timing.js'

type Follows = { chain: Pick<ChainStatus, 'follower' | 'elsewhere'> }

/** Whether the blocks that are booked, here or by another process, are those at the head; also true where no process books. */
export function isChainLive({ chain: { follower, elsewhere } }: Follows): boolean {
  const isLeftToOthers = follower === undefined || follower.phase === 'standby'
  if (isLeftToOthers && elsewhere !== undefined) return elsewhere === 'live'
  return follower === undefined || follower.phase === 'live'
}

/** For `startsAfter` of a job: a short catch-up of the chain goes first, because both at once would be late. */
export async function untilLive(follows: Follows, signal: AbortSignal): Promise<void> {
  await pollUntil(() => isChainLive(follows), { everyMs: 100, timeoutMs: 30_000, signal })
}
