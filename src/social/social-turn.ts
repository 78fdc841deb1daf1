import { systemTiming } from '../lib/timing.js'
import type { SocialTools } from './search-posts.js'

/**
 * Resolves when the key may make its next social request, which is then counted: one per second, in all
 * processes together. Rejects with the reason of the signal.
 */
export async function untilSocialTurn(
  { ctx, caller }: SocialTools,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted()
    const { allowed, strictest } = await ctx.admission.charge(caller, 'social_rate')
    if (allowed) return
    await systemTiming.sleep(Math.max(1, strictest.resetAtMs - ctx.clock.now()), signal)
  }
}
