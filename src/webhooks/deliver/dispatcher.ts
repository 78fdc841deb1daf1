import type { Clock } from '../../core/clock.js'
import { Alarm } from '../../lib/alarm.js'
import { faultFields } from '../../lib/fault-fields.js'
import type { FloodLog } from '../../lib/flood-log.js'
import { GenerationMap } from '../../lib/generation-map.js'
import type { Log } from '../../lib/log.js'
import { backoffMs, pause, pollUntil } from '../../lib/timing.js'
import type { SecretBox } from '../../store/secret-box.js'
import type { Store } from '../../store/store.js'
import type { AttemptResult } from './delivery.js'
import { disableWebhooks } from './health.js'
import type { DeliveryMetrics } from './metrics.js'
import { type ClaimedDelivery, type EndedAttempt, selectNextLook } from './queries.js'
import { recordAndClaim } from './record-and-claim.js'
import { INTERRUPTED, nextState } from './retry.js'
import type { Sender } from './sender.js'
import { signatureHeaders } from './signature.js'
import { TakenDeliveries } from './taken-deliveries.js'

/** Deliveries that this process holds: being sent, or waiting for others of their webhook. */
const HELD_MAX = 512
/** Above this many, those of receivers that are slow or fail are left to wait. */
const HELD_BY_ANY_MAX = HELD_MAX / 2
/** What other processes queue is found so late at most. */
const POLL_MS = 500
/** The pause when lanes are due and none can be had, because others hold them. */
const CROWDED_MS = 20
/**
 * Attempts that ended are written together: this many, or half of what this process holds, or all after this
 * time. By halves the database works on one while the other is being sent.
 */
const GATHER_MS = 20
const GATHERED_MAX = 128
const RETRY = { baseMs: 100, maxMs: 2_000 }
/** How long a stop waits for attempts that run, and then for their results to be written. */
const STOP_ATTEMPTS_MS_MAX = 200
const STOP_WRITE_MS_MAX = 200

type DispatcherParts = {
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
 * A lane is the place of a webhook's deliveries in the queue. It says when they are to be looked at, so
 * that neither a long queue nor a receiver that does not answer costs others more than a row.
 */
export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #secrets: DecryptedSecrets
  readonly #alarm = new Alarm()
  #cut = new AbortController()
  #isWoken = true
  #isKeyChecked = false
  readonly #taken = new TakenDeliveries()
  #ended: EndedAttempt[] = []
  #gatherFromMs = 0
  readonly #failing = new Set<number>()

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    this.#secrets = new DecryptedSecrets(parts.secretBox)
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
        if (failures++ === 0) this.#parts.log.warn(faultFields(error), 'deliveries wait')
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
      if (this.#taken.count >= HELD_MAX) return POLL_MS
      const waitMs = this.#isWoken ? 0 : await this.#untilDue()
      if (waitMs > 0) return Math.min(waitMs, POLL_MS)
    }
    this.#isWoken = false
    await this.#checkKey()
    const isHealthyOnly = this.#taken.count >= HELD_BY_ANY_MAX
    const limit = (isHealthyOnly ? HELD_MAX : HELD_BY_ANY_MAX) - this.#taken.count
    const hasMoved = await this.#exchange(Math.max(0, limit), isHealthyOnly)
    await this.#disable()
    return hasMoved ? 0 : CROWDED_MS
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
    const { store, clock } = this.#parts
    const nowMs = clock.now()
    const nextMs = await selectNextLook(store.sql, nowMs)
    return nextMs === undefined ? POLL_MS : nextMs - nowMs
  }

  /** Throws where this process has not the key of the secrets: another process has to send. */
  async #checkKey(): Promise<void> {
    if (!this.#isKeyChecked) await this.#parts.secretBox.encrypt('', 'key check')
    this.#isKeyChecked = true
  }

  /** Writes what has ended and begins what is due. `false`: there was nothing, or others hold it. */
  async #exchange(limit: number, isHealthyOnly: boolean): Promise<boolean> {
    const { store, clock } = this.#parts
    const ended = [...this.#ended]
    const quick = this.#taken.takeQuick()
    const nowMs = clock.now()
    const result = await recordAndClaim(store.sql, { ended, limit, isHealthyOnly, quick, nowMs })
    this.#ended = this.#ended.filter((attempt) => !result.settled.has(attempt))
    this.#gatherFromMs = performance.now()
    for (const webhook of result.failing) this.#failing.add(webhook)
    for (const delivery of result.claimed) if (this.#taken.add(delivery)) void this.#attempt(delivery)
    return result.claimed.length > 0 || result.settled.size > 0
  }

  async #disable(): Promise<void> {
    if (this.#failing.size === 0) return
    const { store, clock, log } = this.#parts
    const names = await disableWebhooks(store.sql, [...this.#failing], clock.now())
    this.#failing.clear()
    if (names.length === 0) return
    log.info({ webhooks: names }, 'webhooks are disabled because their receivers fail')
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { clock, metrics } = this.#parts
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
    // A receiver that is in trouble gets no more than what runs.
    if (!result.success) this.#giveBack(this.#taken.removeWaiting(webhook))
    const following = this.#taken.end(webhook, result)
    if (following !== undefined) void this.#attempt(following)
    this.#end({ delivery, startedMs, endedMs, result, next })
  }

  #end(attempt: EndedAttempt): void {
    const count = this.#ended.push(attempt)
    if (count === 1) this.#gatherFromMs = performance.now()
    if (count === 1 || this.#hasGathered()) this.#alarm.ring()
  }

  /** Ends leases without an attempt. */
  #giveBack(deliveries: readonly ClaimedDelivery[]): void {
    const nowMs = this.#parts.clock.now()
    for (const delivery of deliveries) {
      const next = { state: 'pending', attempts: delivery.attempts, dueMs: nowMs } as const
      this.#end({ delivery, startedMs: nowMs, endedMs: nowMs, result: undefined, next })
    }
  }

  async #send(delivery: ClaimedDelivery, nowMs: number): Promise<AttemptResult> {
    const { sender, floodLog } = this.#parts
    const { name, url, secret: encrypted, eventId, eventType, body } = delivery
    try {
      const secret = await this.#secrets.find(encrypted, name)
      const event = { webhookName: name, eventId: `evt_${eventId}`, eventType, secret, body, nowMs }
      return await sender.send({ url, headers: signatureHeaders(event), body }, this.#cut.signal)
    } catch (error) {
      floodLog.write('error', 'a delivery cannot be signed', () => ({ webhook: name, err: error }))
      const failed = { success: false, statusCode: undefined, latencyMs: 0 }
      return { ...failed, error: 'secret cannot be read: rotate it' }
    }
  }

  #count({ success, error, latencyMs }: AttemptResult): void {
    const { attempts, attemptSeconds } = this.#parts.metrics
    attempts.inc({
      result: success ? 'success' : error === INTERRUPTED ? 'interrupted' : 'failure',
    })
    attemptSeconds.observe(latencyMs / 1000)
  }

  /** Gives all leases back. What cannot be written in time is taken over when its lease has run out. */
  async #finish(): Promise<void> {
    this.#giveBack(this.#taken.removeWaiting())
    const isIdle = () => this.#taken.count === 0
    await pollUntil(isIdle, { everyMs: 5, timeoutMs: STOP_ATTEMPTS_MS_MAX })
    this.#cut.abort()
    const deadline = performance.now() + STOP_WRITE_MS_MAX
    await pollUntil(isIdle, { everyMs: 5, timeoutMs: STOP_WRITE_MS_MAX })
    while (this.#ended.length > 0 && performance.now() < deadline) {
      const hasMoved = await this.#exchange(0, false).catch(() => false)
      if (!hasMoved) await pause(CROWDED_MS)
    }
  }
}

const SECRETS_MAX = 5_000

/** Secrets of webhooks by their encrypted form, so that a rotated secret is another one. */
class DecryptedSecrets {
  readonly #box: Pick<SecretBox, 'decrypt'>
  readonly #known = new GenerationMap<string, string>()

  constructor(box: Pick<SecretBox, 'decrypt'>) {
    this.#box = box
  }

  /** Throws when the key that the secret was encrypted with is gone. */
  async find(encrypted: Buffer, webhookName: string): Promise<string> {
    const key = `${webhookName} ${encrypted.toString('latin1')}`
    const known = this.#known.keep(key)
    if (known !== undefined) return known
    const secret = await this.#box.decrypt(encrypted, webhookName)
    if (this.#known.size >= SECRETS_MAX) this.#known.turn()
    this.#known.set(key, secret)
    return secret
  }
}
