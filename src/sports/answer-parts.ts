import { STANDARD } from '../accounts/access.js'
import { errorReply } from '../lib/error-reply.js'

/** What is the same for all answers about sports. */
export const SPORTS = { tag: 'sports', access: STANDARD, dependsOnChain: false, hasElapsed: false }

/** A stale answer is computed again soon: the sources may answer again. */
const STALE_MS = 1_000

/** How long an answer is repeated while its sources answer. */
export const cacheFor =
  (freshMs: number) =>
  ({ stale }: { stale?: boolean | undefined }): number =>
    stale === true ? STALE_MS : freshMs

export const LOST = {
  502: errorReply('No source answers, and there is no copy of the last 12 hours'),
}

export const NO_LEAGUE = { 404: errorReply('There is no such league') }
