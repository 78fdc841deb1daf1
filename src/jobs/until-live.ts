import { pollUntil } from '../lib/timing.js'

type Follows = { chain: { readonly follower: { readonly phase: string } | undefined } }

/** Whether the blocks that this process books are those at the head; also true where another process books them. */
export const isChainLive = ({ chain }: Follows): boolean =>
  chain.follower === undefined || chain.follower.phase === 'live'

/** For `startsAfter` of a job: a short catch-up of the chain goes first, because both at once would be late. */
export async function untilLive(follows: Follows, signal: AbortSignal): Promise<void> {
  await pollUntil(() => isChainLive(follows), { everyMs: 100, timeoutMs: 30_000, signal })
}
