import assert from 'node:assert/strict'
import { finished } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.js'
import { countWait } from '../lib/stopwatch.js'
import type { LargeAnswers } from './large-answers.js'

/** A client that takes longer is cut off: it would hold a slot that other answers wait for. */
const SEND_MS_MAX = 5 * 60_000

/**
 * To be called before a large answer is made. Waits for a free slot or throws the refusal; the slot is
 * free again when the answer is out or its client has left.
 */
export async function awaitLargeAnswerSlot(
  largeAnswers: LargeAnswers,
  { caller, stopwatch }: FastifyRequest,
  { raw }: FastifyReply,
  sendMsMax = SEND_MS_MAX,
): Promise<void> {
  assert(caller !== undefined, 'large answers need a key')
  const answer = new AbortController()
  finished(raw, () => answer.abort(new ApiError(499, 'The client has left.')))
  await countWait(stopwatch, largeAnswers.enter(caller, answer.signal))
  const timer = setTimeout(() => raw.destroy(), sendMsMax)
  answer.signal.addEventListener('abort', () => clearTimeout(timer))
}
