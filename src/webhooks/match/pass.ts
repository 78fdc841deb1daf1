import { createHash } from 'node:crypto'
import type { Plans } from '../../accounts/plans.js'
import { blockOf, endOfBlock } from '../../core/seq.js'
import { toNanosecondText } from '../../core/unix-time.js'
import type { Pool, Sql } from '../../store/connection.js'
import { transact } from '../../store/transaction.js'
import { cancelHeldAbove, type DeliveryDraft, enqueue, releaseHeld } from '../deliver/enqueue.js'
import type { WebhookEventType } from '../event-types.js'
import { Baselines, restoreBaselines } from './baselines.js'
import type { Detected, Detector, Occurrence, ValueChange } from './detector.js'
import { type FactSlice, openSlice } from './fact-slice.js'
import { forgetOrdersAbove } from './order-complete.js'
import {
  lockCursor,
  lowerFromSeq,
  type MatchState,
  selectChangedWebhooks,
  selectMatchState,
  updateCursor,
} from './queries.js'
import { chooseStep, STEP_LIMITS, type StepRange, seenSinceMs } from './step-range.js'
import { type IndexedWebhook, WebhookIndex } from './webhook-index.js'

/**
 * `draftsMax`: deliveries, unless a single block has more; they are in memory until they are queued. `draftsOfAccount`:
 * an account with more has to wait until those of others are queued.
 */
const PASS_LIMITS = { ...STEP_LIMITS, draftsMax: 100_000, draftsOfAccount: 500 }

type PassDeps = {
  pool: Pool
  plans: Plans
  webhooks: ActiveWebhooks
  detectors: readonly Detector[]
  nowMs: number
  /** Called when deliveries were queued. */
  onQueued?: (() => void) | undefined
  limits?: Partial<typeof PASS_LIMITS>
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
  /** Those of `drafts` that are queued before all others. */
  first: readonly DeliveryDraft[]
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
  const { pool, onQueued = () => undefined } = deps
  const findings = await transact(pool, (tx) => read(tx, deps))
  const { state, seq, drafts, first } = findings
  if (state.rewindBlock !== null) {
    await transact(pool, (tx) => revertMatcher(tx, state))
    return { isBehind: true, lagBlocks: lagOf(state, state.seq), queued: [] }
  }
  if (isIdle(findings)) return { isBehind: false, lagBlocks: 0, queued: [] }
  if (first.length > 0 && (await transact(pool, (tx) => writeFirst(tx, findings, deps)))) onQueued()
  const isOurs = await transact(pool, (tx) => write(tx, findings, deps))
  if (!isOurs) return { isBehind: true, lagBlocks: lagOf(state, state.seq), queued: [] }
  if (drafts.length > 0) onQueued()
  const lagBlocks = lagOf(state, seq)
  return { isBehind: lagBlocks > 0, lagBlocks, queued: drafts }
}

const lagOf = ({ headBlock }: MatchState, seq: number | null): number =>
  headBlock === null || seq === null ? 0 : Math.max(0, headBlock - blockOf(seq))

const isIdle = ({ state, seq, drafts, stores }: Findings): boolean =>
  seq === state.seq && drafts.length === 0 && stores.length === 0

async function read(tx: Sql, deps: PassDeps): Promise<Findings> {
  const { webhooks, detectors, nowMs } = deps
  const limits = { ...PASS_LIMITS, ...deps.limits }
  await tx`set transaction isolation level repeatable read read only`
  const state = await selectMatchState(tx)
  if (state.rewindBlock !== null) return { state, seq: state.seq, drafts: [], first: [], stores: [] }
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
    const wanted = detectors.filter(({ types }) => types.some(slice.asksFor))
    const detected = await detect(slice, wanted)
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
    const { plain, changes } = await draftDeliveries(matched, bases, nowMs)
    const seq = state.headBlock === null ? state.seq : range.toSeq
    const unwanted = seq === state.seq ? [] : detectors.filter((each) => !wanted.includes(each))
    const stores = [
      ...detected.flatMap(({ store }) => store ?? []),
      ...unwanted.flatMap(({ skip }) => skip ?? []),
      ...(matched.length === 0 ? [] : [(later: Sql) => bases.store(later)]),
    ]
    const first = chooseFirst(plain, limits.draftsOfAccount)
    return { state, seq, drafts: [...plain, ...changes], first, stores }
  }
}

/** The first half of the blocks; `undefined`: there is only one. */
function halve(range: StepRange): StepRange | undefined {
  const blocks = blockOf(range.toSeq) - blockOf(range.afterSeq)
  if (blocks <= 1) return undefined
  return { ...range, toSeq: endOfBlock(blockOf(range.afterSeq) + (blocks >> 1)) }
}

/** Runs the detectors side by side: their queries follow each other without waiting for the answers. */
function detect(slice: FactSlice, wanted: readonly Detector[]): Promise<Detected[]> {
  const hasGrown = slice.toSeq > slice.afterSeq
  const working = wanted.filter(({ runsWithoutBlocks }) => hasGrown || runsWithoutBlocks === true)
  return Promise.all(working.map((detector) => detector.detect(slice)))
}

/** What accounts with few of these deliveries are to get, where another one has very many; else none. */
function chooseFirst(drafts: readonly DeliveryDraft[], max: number): readonly DeliveryDraft[] {
  const counts = new Map<number, number>()
  for (const { webhook } of drafts) counts.set(webhook.accountId, (counts.get(webhook.accountId) ?? 0) + 1)
  const few = drafts.filter(({ webhook }) => (counts.get(webhook.accountId) ?? 0) <= max)
  return few.length < drafts.length ? few : []
}

type WriteDeps = Pick<PassDeps, 'plans' | 'nowMs'>

/**
 * Queues what needs not wait for the rows of an account whose webhooks want thousands of these events. The cursor stays:
 * a process that is killed before the rest is written makes the pass again, which leaves out what was queued.
 */
async function writeFirst(tx: Sql, { state, first }: Findings, deps: WriteDeps): Promise<boolean> {
  if (!(await lockCursor(tx, state))) return false
  await enqueue(tx, first, deps)
  return true
}

/** `false`: another process was first, or blocks were reverted: nothing is written. */
async function write(
  tx: Sql,
  { state, seq, drafts, first, stores }: Findings,
  { plans, nowMs }: WriteDeps,
): Promise<boolean> {
  if (!(await lockCursor(tx, state))) return false
  const wasQueued = new Set(first)
  const rest = drafts.filter((draft) => !wasQueued.has(draft))
  await enqueue(tx, rest, { plans, nowMs })
  if (state.headBlock !== null) await releaseHeld(tx, state.headBlock, nowMs)
  // After all lanes, as for an activation, which forgets bases.
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

type Matched = { occurrence: Occurrence; webhooks: readonly IndexedWebhook[] }

/** The webhooks that want each occurrence, in the order of `seq`; those that no webhook wants are left out. */
export function matchOccurrences(
  occurrences: readonly Occurrence[],
  index: WebhookIndex,
  nowMs: number,
): Matched[] {
  const matched = occurrences.flatMap((occurrence) => {
    const webhooks = index.match(occurrence).filter((webhook) => sees(webhook, occurrence, nowMs))
    return webhooks.length === 0 ? [] : [{ occurrence, webhooks }]
  })
  return matched.sort((a, b) => a.occurrence.seq - b.occurrence.seq)
}

function sees(webhook: IndexedWebhook, occurrence: Occurrence, nowMs: number): boolean {
  const { fromSeq } = webhook
  const { seq, sinceSeq = seq, isOffChain, timeSec } = occurrence
  if (timeSec * 1000 < seenSinceMs(webhook, nowMs)) return false
  return isOffChain === true || sinceSeq > fromSeq
}

/**
 * What is to be delivered. The text of an event is made once for all webhooks; `changes`: those that each webhook
 * measures against a value of its own, which is stored with the cursor.
 */
export async function draftDeliveries(
  matched: readonly Matched[],
  bases: Baselines,
  nowMs: number,
): Promise<{ plain: DeliveryDraft[]; changes: DeliveryDraft[] }> {
  const plain: DeliveryDraft[] = []
  const changes: (Parameters<Baselines['decide']>[0][number] & { owner: IndexedWebhook })[] = []
  for (const { occurrence, webhooks } of matched) {
    if (hasChange(occurrence)) {
      for (const owner of webhooks) {
        changes.push({ webhook: owner.id, filters: owner.filters, occurrence, owner })
      }
      continue
    }
    const eventId = eventIdOf(occurrence)
    const data = occurrence.present(undefined)
    const body = serializeEvent({ eventId, type: occurrence.type, nowMs, data })
    for (const webhook of webhooks) plain.push(toDraft(webhook, occurrence, { eventId, body }))
  }
  const decided = await bases.decide(changes)
  const measured = decided.map(({ matched: { occurrence, owner }, base }) => {
    const eventId = eventIdOf(occurrence, owner.publicId)
    const data = occurrence.present(base)
    const body = serializeEvent({ eventId, type: occurrence.type, nowMs, data })
    return toDraft(owner, occurrence, { eventId, body })
  })
  return { plain, changes: measured }
}

const hasChange = (occurrence: Occurrence): occurrence is Occurrence & { change: ValueChange } =>
  occurrence.change !== undefined

const toDraft = (
  { id, accountId, filters }: IndexedWebhook,
  { type, seq, isOffChain }: Occurrence,
  text: Pick<DeliveryDraft, 'eventId' | 'body'>,
): DeliveryDraft => ({
  webhook: { id, accountId },
  ...text,
  eventType: type,
  block: blockOf(seq),
  confirmations: isOffChain === true ? 0 : (filters.confirmations ?? 0),
})

/**
 * The id of an event: a UUID that is made of what happened, so that it is the same for all webhooks,
 * after a crash, and when the transaction returns in another block. Where each webhook measures changes
 * against a value of its own, the event is its own too: `publicId` says whose.
 */
function eventIdOf({ type, identity }: Pick<Occurrence, 'type' | 'identity'>, publicId = ''): string {
  const hash = createHash('sha256').update(`${type}\n${identity}\n${publicId}`).digest()
  // Version 8 of RFC 9562: bits of our own making.
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = hash.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

type EventFields = { eventId: string; type: WebhookEventType; nowMs: number; data: object }

/** What is sent, as JSON. */
const serializeEvent = ({ eventId, type, nowMs, data }: EventFields): string =>
  JSON.stringify({ id: `evt_${eventId}`, type, created_at: toNanosecondText(nowMs), data })

/** Webhooks that are read at once: each may have a thousand filter items. */
const ROWS_MAX = 500

/** The index of all active webhooks, kept up with their rows. */
export class ActiveWebhooks {
  readonly index = new WebhookIndex()
  #revision = -1

  /** Takes over what changed up to a revision. Throws what the database throws; the next call goes on. */
  async refresh(sql: Sql, revision: number): Promise<void> {
    while (this.#revision < revision) {
      const changed = await selectChangedWebhooks(sql, this.#revision, ROWS_MAX)
      for (const { isActive, ...webhook } of changed) {
        if (isActive) this.index.set(webhook)
        else this.index.delete(webhook.id)
      }
      this.#revision = changed.length < ROWS_MAX ? revision : (changed.at(-1)?.revision ?? revision)
    }
  }
}
