import { pollUntil } from '../lib/timing.js'

type Follows = { chain: { readonly follower: { readonly phase: string } | undefined } }

/** For `startsAfter` of a job: a short catch-up of the chain goes first, because both at once would be late. */
export async function untilLive({ chain }: Follows, signal: AbortSignal): Promise<void> {
  const isLive = () => chain.follower === undefined || chain.follower.phase === 'live'
  await pollUntil(isLive, { everyMs: 1_000, timeoutMs: 30_000, signal })
}
