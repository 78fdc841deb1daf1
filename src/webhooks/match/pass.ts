import type { Plans } from '../../accounts/plans.js'
import { blockOf } from '../../core/seq.js'
import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import type { DeliveryDraft } from '../deliver/delivery.js'
import { enqueue } from '../deliver/enqueue.js'
import { cancelHeldAbove, releaseHeld } from '../deliver/release.js'
import type { ActiveWebhooks } from './active-webhooks.js'
import { Baselines, restoreBaselines } from './baselines.js'
import type { Detected, Detector } from './detector.js'
import { type FactSlice, openSlice } from './fact-slice.js'
import { draftDeliveries, matchOccurrences } from './match-occurrences.js'
import { forgetOrdersAbove } from './order-complete.js'
import { lockCursor, lowerFromSeq, type MatchState, selectMatchState, updateCursor } from './queries.js'
import { chooseStep, endOfBlock, STEP_LIMITS, type StepRange } from './step-range.js'

/** `draftsMax`: deliveries, unless a single block has more; they are in memory until they are queued. */
const PASS_LIMITS = { ...STEP_LIMITS, draftsMax: 100_000 }

type PassDeps = {
  pool: Pool
  plans: Plans
  webhooks: ActiveWebhooks
  detectors: readonly Detector[]
  nowMs: number
  limits?: typeof PASS_LIMITS
}

export type PassResult = {
  /** Whether the next pass has to follow at once. */
  isBehind: boolean
  /** Blocks of the facts that are not matched yet. */
  lagBlocks: number
  queued: readonly DeliveryDraft[]
}

type Findings = {
  state: MatchState
  /** Where the cursor goes; null: nothing is booked yet. */
  seq: number | null
  drafts: readonly DeliveryDraft[]
  /** What detectors have to remember. */
  stores: readonly ((tx: Sql) => Promise<void>)[]
}

/**
 * Matches the next slice of the facts: reads in one snapshot, then writes everything that comes of it in
 * one transaction that first locks the cursor. A cursor that is not where it was read was moved by
 * another process that did the same work: then all is dropped. So an event is queued once, whatever is
 * killed in between. The two transactions are apart because the dispatcher updates the same lanes all
 * the time, on which writes in the snapshot would fail.
 */
export async function runPass(deps: PassDeps): Promise<PassResult> {
  const { pool } = deps
  const findings = await transact(pool, (tx) => read(tx, deps))
  const { state, seq, drafts } = findings
  if (state.rewindBlock !== null) {
    await transact(pool, (tx) => revertMatcher(tx, state))
    return { isBehind: true, lagBlocks: lagOf(state, state.seq), queued: [] }
  }
  if (isIdle(findings)) return { isBehind: false, lagBlocks: 0, queued: [] }
  const isOurs = await transact(pool, (tx) => write(tx, findings, deps))
  if (!isOurs) return { isBehind: true, lagBlocks: lagOf(state, state.seq), queued: [] }
  const lagBlocks = lagOf(state, seq)
  return { isBehind: lagBlocks > 0, lagBlocks, queued: drafts }
}

const lagOf = ({ headBlock }: MatchState, seq: number | null): number =>
  headBlock === null || seq === null ? 0 : Math.max(0, headBlock - blockOf(seq))

const isIdle = ({ state, seq, drafts, stores }: Findings): boolean =>
  seq === state.seq && drafts.length === 0 && stores.length === 0

async function read(tx: Sql, deps: PassDeps): Promise<Findings> {
  const { webhooks, detectors, nowMs, limits = PASS_LIMITS } = deps
  await tx`set transaction isolation level repeatable read read only`
  const state = await selectMatchState(tx)
  if (state.rewindBlock !== null) return { state, seq: state.seq, drafts: [], stores: [] }
  const { index } = webhooks
  await webhooks.refresh(tx, state.revision)
  let range = await chooseStep(tx, { ...state, nowMs }, index, limits)
  for (;;) {
    const slice = openSlice(tx, {
      ...range,
      headTimeSec: state.headTimeSec ?? 0,
      nowMs,
      asksFor: (type) => index.asksFor(type),
      isWatched: (type, wallet) => index.isWatched(type, wallet),
    })
    const asked = detectors.filter(({ types }) => types.some(slice.asksFor))
    const detected = await detect(slice, asked)
    const matched = matchOccurrences(
      detected.flatMap(({ occurrences }) => occurrences),
      index,
      nowMs,
    )
    const count = matched.reduce((sum, { webhooks: wanting }) => sum + wanting.length, 0)
    const shorter = halve(range)
    if (count > limits.draftsMax && shorter !== undefined) {
      range = shorter
      continue
    }
    const bases = new Baselines(tx)
    const drafts = await draftDeliveries(matched, bases, nowMs)
    const seq = state.headBlock === null ? state.seq : range.toSeq
    const unasked = seq === state.seq ? [] : detectors.filter((each) => !asked.includes(each))
    const stores = [
      ...detected.flatMap(({ store }) => store ?? []),
      ...unasked.flatMap(({ skip }) => skip ?? []),
      ...(matched.length === 0 ? [] : [(later: Sql) => bases.store(later)]),
    ]
    return { state, seq, drafts, stores }
  }
}

/** The first half of the blocks; `undefined`: there is only one. */
function halve(range: StepRange): StepRange | undefined {
  const blocks = blockOf(range.toSeq) - blockOf(range.afterSeq)
  if (blocks <= 1) return undefined
  return { ...range, toSeq: endOfBlock(blockOf(range.afterSeq) + (blocks >> 1)) }
}

/** Asks the detectors side by side: their queries follow each other without waiting for the answers. */
function detect(slice: FactSlice, asked: readonly Detector[]): Promise<Detected[]> {
  const hasGrown = slice.toSeq > slice.afterSeq
  const working = asked.filter(({ runsWithoutBlocks }) => hasGrown || runsWithoutBlocks === true)
  return Promise.all(working.map((detector) => detector.detect(slice)))
}

/** `false`: another process was first, or blocks were reverted: nothing is written. */
async function write(
  tx: Sql,
  { state, seq, drafts, stores }: Findings,
  { plans, nowMs }: Pick<PassDeps, 'plans' | 'nowMs'>,
): Promise<boolean> {
  if (!(await lockCursor(tx, state))) return false
  await enqueue(tx, drafts, { plans, nowMs })
  if (state.headBlock !== null) await releaseHeld(tx, state.headBlock, nowMs)
  // Behind all lanes, as for an activation, which forgets bases.
  for (const store of stores) await store(tx)
  await updateCursor(tx, { seq, rewind: state.rewind })
  return true
}

/**
 * Takes the matcher back to where blocks were reverted: held deliveries about the blocks above were never
 * sent and are deleted, and values go back to where they were before them. What was sent stays sent: its
 * row says so when the same transaction comes again. `false`: another process did it.
 */
async function revertMatcher(tx: Sql, state: MatchState): Promise<boolean> {
  if (!(await lockCursor(tx, state))) return false
  const { seq, rewindBlock, lastRewind } = state
  if (rewindBlock !== null) {
    const endSeq = endOfBlock(rewindBlock)
    await forgetOrdersAbove(tx, endSeq)
    await restoreBaselines(tx, await cancelHeldAbove(tx, rewindBlock))
    // Last: requests that change a webhook wait from here on, and may hold what the statements above wait for.
    await lowerFromSeq(tx, endSeq)
    await updateCursor(tx, {
      seq: seq === null ? null : Math.min(seq, endSeq),
      rewind: lastRewind,
    })
  }
  return true
}
