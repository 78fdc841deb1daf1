import { LRUCache } from 'lru-cache'
import type { Clock } from '../../core/clock.js'
import { Alarm } from '../../lib/alarm.js'
import { faultFields } from '../../lib/fault-fields.js'
import type { FloodLog } from '../../lib/flood-log.js'
import { limitCount } from '../../lib/limit-count.js'
import type { Log } from '../../lib/log.js'
import { backoffMs, pause, pollUntil } from '../../lib/timing.js'
import type { SecretBox } from '../../store/secret-box.js'
import type { Store } from '../../store/store.js'
import type { DeliveryCapacity } from './due-queues.js'
import type { DeliveryMetrics } from './metrics.js'
import { type ClaimedDelivery, type EndedAttempt, INTERRUPTED, nextState, selectNextDue } from './queries.js'
import { disableWebhooks, isGood, recordAndClaim } from './record-and-claim.js'
import type { AttemptResult, Sender } from './sender.js'
import { signatureHeaders } from './signature.js'
import { TakenDeliveries } from './taken-deliveries.js'

/** What other processes queue is found after this time at most. */
const POLL_MS = 500
/** The pause when lanes are due and none can be had, because others hold them. */
const CROWDED_MS = 20
/** The pause when all lanes that are due are of accounts that hold their share: an end of theirs ends it too. */
const SHARED_OUT_MS = 100
/**
 * Attempts that ended are written together: this many, or half of what this process holds, or all after this
 * time. By halves the database works on one while the other is being sent.
 */
const GATHER_MS = 20
const GATHERED_MAX = 128
/** Decrypted ones in memory. */
const SECRETS_MAX = 5_000
const RETRY = { baseMs: 100, maxMs: 2_000 }
/** How long a stop waits for attempts that run, and then for their results to be written. */
const STOP_ATTEMPTS_MS_MAX = 200
const STOP_WRITE_MS_MAX = 200

const NO_CAPACITY: DeliveryCapacity = { free: 0, freeForSlow: 0, held: new Map() }

type DispatcherDependencies = {
  store: Pick<Store, 'sql'>
  secretBox: Pick<SecretBox, 'encrypt' | 'decrypt'>
  sender: Pick<Sender, 'send'>
  metrics: DeliveryMetrics
  clock: Clock
  log: Log
  floodLog: FloodLog
}

/**
 * Sends deliveries that are due. Any number of processes may do so on one database.
 *
 * A delivery is `held` until enough blocks are on top, then `pending`; while an attempt runs it is
 * leased. It ends `delivered`, `failed` after the fifth attempt, or `cancelled` with its webhook.
 * The queue is in the database: this process knows what it is sending, and nothing of what waits.
 * A lane is the row of a webhook in the queue. It says when its deliveries are claimed next, so
 * that neither a long queue nor a receiver that does not answer costs others more than a row.
 * Accounts share the slots of this process: see `DeliveryCapacity`.
 */
export class Dispatcher {
  readonly #deps: DispatcherDependencies
  /** By the public id and the encrypted form, so that a rotated secret is another one. */
  readonly #secrets = new LRUCache<string, string>(limitCount(SECRETS_MAX))
  readonly #alarm = new Alarm()
  #cut = new AbortController()
  #isWoken = true
  #isKeyChecked = false
  readonly #taken = new TakenDeliveries()
  #afterAccount = 0
  #ended: EndedAttempt[] = []
  #gatherFromMs = 0
  readonly #failing = new Set<number>()

  constructor(deps: DispatcherDependencies) {
    this.#deps = deps
  }

  /** Something was queued. */
  wake(): void {
    this.#isWoken = true
    this.#alarm.ring()
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#cut = new AbortController()
    let failures = 0
    while (!signal.aborted) {
      let restMs: number
      try {
        restMs = await this.#recordAndClaim()
        failures = 0
      } catch (error) {
        if (!this.#isKeyChecked) throw error
        if (failures++ === 0) this.#deps.log.warn(faultFields(error), 'deliveries wait')
        restMs = backoffMs(RETRY, failures)
      }
      if (restMs > 0) await this.#alarm.rest(restMs, signal)
    }
    await this.#finish()
  }

  /** Returns how long to rest afterwards. */
  async #recordAndClaim(): Promise<number> {
    const gatherMs = this.#gatherMs()
    if (gatherMs > 0) return gatherMs
    if (this.#ended.length === 0) {
      if (this.#taken.capacity.free === 0) return POLL_MS
      const waitMs = this.#isWoken ? 0 : await this.#untilDue()
      if (waitMs > 0) return Math.min(waitMs, POLL_MS)
    }
    this.#isWoken = false
    await this.#checkKey()
    const restMs = await this.#exchange(this.#taken.capacity)
    await this.#disable()
    return restMs
  }

  /** How long the attempts that ended wait for more, with which they are written. */
  #gatherMs(): number {
    if (this.#ended.length === 0 || this.#hasGathered() || this.#isWoken) return 0
    return this.#gatherFromMs + GATHER_MS - performance.now()
  }

  #hasGathered(): boolean {
    return this.#ended.length >= Math.min(GATHERED_MAX, this.#taken.count)
  }

  async #untilDue(): Promise<number> {
    const { store, clock } = this.#deps
    const nowMs = clock.now()
    const nextMs = await selectNextDue(store.sql, nowMs)
    return nextMs === undefined ? POLL_MS : nextMs - nowMs
  }

  /** Throws where this process has not the key of the secrets: another process has to send. */
  async #checkKey(): Promise<void> {
    if (!this.#isKeyChecked) await this.#deps.secretBox.encrypt('', 'key check')
    this.#isKeyChecked = true
  }

  /** Writes what has ended and begins what is due. Returns how long to rest when there was nothing, or nothing to be had. */
  async #exchange(capacity: DeliveryCapacity): Promise<number> {
    const { store, clock, metrics } = this.#deps
    const ended = [...this.#ended]
    const quick = this.#taken.takeQuick()
    const afterAccount = this.#afterAccount
    const result = await recordAndClaim(store.sql, {
      ended,
      capacity,
      quick,
      afterAccount,
      nowMs: clock.now(),
    })
    this.#afterAccount = result.afterAccount
    this.#ended = this.#ended.filter((attempt) => !result.settled.has(attempt))
    this.#gatherFromMs = performance.now()
    for (const webhook of result.failing) this.#failing.add(webhook)
    for (const delivery of result.claimed) this.#begin(this.#taken.add(delivery))
    metrics.held.set(this.#taken.count)
    metrics.holders.set(this.#taken.accountCount)
    metrics.passedOver.inc(result.passedOver)
    if (result.claimed.length > 0 || result.settled.size > 0 || result.afterAccount > 0) return 0
    return result.passedOver > 0 ? SHARED_OUT_MS : CROWDED_MS
  }

  #begin(deliveries: readonly ClaimedDelivery[]): void {
    for (const delivery of deliveries) void this.#attempt(delivery)
  }

  async #disable(): Promise<void> {
    if (this.#failing.size === 0) return
    const { store, clock, log } = this.#deps
    const disabled = await disableWebhooks(store.sql, [...this.#failing], clock.now())
    this.#failing.clear()
    if (disabled.length === 0) return
    log.info({ webhooks: disabled }, 'webhooks are disabled because their receivers fail')
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { clock, metrics } = this.#deps
    const startedMs = clock.now()
    if (delivery.attempts === 0) {
      metrics.latencySeconds.observe((startedMs - delivery.createdAt.getTime()) / 1000)
    }
    const sent = await this.#send(delivery, startedMs)
    const endedMs = clock.now()
    const isInterrupted = this.#cut.signal.aborted && sent.statusCode === undefined
    const result = isInterrupted ? { ...sent, error: INTERRUPTED } : sent
    const next = isInterrupted
      ? ({ state: 'pending', attempts: delivery.attempts, dueMs: endedMs } as const)
      : nextState(delivery.attempts + 1, result, endedMs)
    this.#count(result)
    const { webhook } = delivery
    // A receiver that is slow or in trouble gets no more than what runs: what waits would outlast its lease.
    if (!isGood(result)) this.#returnLeases(this.#taken.removeWaiting(webhook))
    this.#begin(this.#taken.end(delivery, result))
    this.#end({ delivery, startedMs, endedMs, result, next })
  }

  #end(attempt: EndedAttempt): void {
    const count = this.#ended.push(attempt)
    if (count === 1) this.#gatherFromMs = performance.now()
    if (count === 1 || this.#hasGathered()) this.#alarm.ring()
  }

  /** Ends leases without an attempt. */
  #returnLeases(deliveries: readonly ClaimedDelivery[]): void {
    const nowMs = this.#deps.clock.now()
    for (const delivery of deliveries) {
      const next = { state: 'pending', attempts: delivery.attempts, dueMs: nowMs } as const
      this.#end({ delivery, startedMs: nowMs, endedMs: nowMs, result: undefined, next })
    }
  }

  async #send(delivery: ClaimedDelivery, nowMs: number): Promise<AttemptResult> {
    const { sender, floodLog } = this.#deps
    const { publicId, url, secret: encrypted, eventId, eventType, body } = delivery
    try {
      const secret = await this.#decrypt(encrypted, publicId)
      const event = { webhookId: publicId, eventId: `evt_${eventId}`, eventType, secret, body, nowMs }
      return await sender.send({ url, headers: signatureHeaders(event), body }, this.#cut.signal)
    } catch (error) {
      floodLog.write('error', 'a delivery cannot be signed', () => ({ webhook: publicId, err: error }))
      const failed = { success: false, statusCode: undefined, latencyMs: 0 }
      return { ...failed, error: 'secret cannot be read: rotate it' }
    }
  }

  /** Throws when the key that the secret was encrypted with is gone. */
  async #decrypt(encrypted: Buffer, publicId: string): Promise<string> {
    const key = `${publicId} ${encrypted.toString('latin1')}`
    const secret = this.#secrets.get(key) ?? (await this.#deps.secretBox.decrypt(encrypted, publicId))
    this.#secrets.set(key, secret)
    return secret
  }

  #count({ success, error, latencyMs }: AttemptResult): void {
    const { attempts, attemptSeconds } = this.#deps.metrics
    attempts.inc({
      result: success ? 'success' : error === INTERRUPTED ? 'interrupted' : 'failure',
    })
    attemptSeconds.observe(latencyMs / 1000)
  }

  /** Returns all leases. What cannot be written in time is taken over when its lease has run out. */
  async #finish(): Promise<void> {
    this.#returnLeases(this.#taken.removeWaiting())
    const isIdle = () => this.#taken.count === 0
    await pollUntil(isIdle, { everyMs: 5, timeoutMs: STOP_ATTEMPTS_MS_MAX })
    this.#cut.abort()
    const deadline = performance.now() + STOP_WRITE_MS_MAX
    await pollUntil(isIdle, { everyMs: 5, timeoutMs: STOP_WRITE_MS_MAX })
    while (this.#ended.length > 0 && performance.now() < deadline) {
      const restMs = await this.#exchange(NO_CAPACITY).catch(() => CROWDED_MS)
      if (restMs > 0) await pause(restMs)
    }
  }
}
