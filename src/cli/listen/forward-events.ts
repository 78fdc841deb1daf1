import { lookup } from 'node:dns/promises'
import { AuspexError } from 'auspex-client'
import { OperatorError } from '../../core/errors.js'
import { backoffMs, systemTiming } from '../../lib/timing.js'
import { Sender } from '../../webhooks/deliver/sender.js'
import { signatureHeaders } from '../../webhooks/deliver/signature.js'
import type { ForwardResult } from '../../webhooks/listen/schemas.js'
import type { ListenedEvent, Listener, Listeners, ListenerWish } from './listeners.js'

type ForwardOptions = {
  listeners: Listeners
  wish: ListenerWish
  /** Where events go. */
  receiver: URL
  /** This many events are forwarded at most. */
  count: number
  onListening(listener: Listener): void
  onResult(event: ListenedEvent, result: ForwardResult): void
  /** Tells the user about the service and the receiver. */
  notify(text: string): void
  signal: AbortSignal
  retryMs?: number
}

/** The first wait; it doubles. */
const RETRY_MS = 1_000
const RETRY_MS_MAX = 30_000
/** As many as the service has under way to one webhook. */
const IN_FLIGHT_MAX = 10
/** The receiver is on the user's own machine or network: no address is refused. */
const ALL_NETWORKS = ['0.0.0.0/0', '::/0']

/**
 * Makes a listener and forwards its events, until the signal aborts or `count` are forwarded; then takes
 * the listener away. Goes on when the service restarts. Throws what the user can fix: a wrong
 * address, key or filter.
 */
export async function forwardEvents(options: ForwardOptions): Promise<void> {
  const { listeners, wish, onListening, signal } = options
  const listener = await listeners.create(wish, signal).catch((error) => {
    if (signal.aborted) return undefined
    throw error
  })
  if (listener === undefined) return
  onListening(listener)
  const sender = new Sender({ networks: ALL_NETWORKS, resolve: resolveLocally })
  const forwarder = new Forwarder(options, listener, sender)
  try {
    await forwarder.run()
  } finally {
    sender.close()
    // One that stays is deleted by the service after a while.
    await listeners.remove(forwarder.listener.id).catch(() => undefined)
  }
}

/** As other programs of this machine do, so that names of its hosts file count. */
async function resolveLocally(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

class Forwarder {
  listener: Listener
  readonly #options: ForwardOptions
  readonly #sender: Sender
  #left: number
  #isReceiverDown = false

  constructor(options: ForwardOptions, listener: Listener, sender: Sender) {
    this.#options = options
    this.listener = listener
    this.#sender = sender
    this.#left = options.count
  }

  async run(): Promise<void> {
    const { listeners, signal } = this.#options
    while (!signal.aborted && this.#left > 0) {
      const waiting = (await this.#persist((id) => listeners.poll(id, signal))) ?? []
      const events = waiting.slice(0, this.#left)
      this.#left -= events.length
      const results = await this.#forwardAll(events)
      // Events that are not confirmed come again with the next poll: so this goes on until it is done.
      if (results.length > 0) await this.#persist((id) => listeners.confirm(id, results, signal))
    }
  }

  async #forwardAll(events: readonly ListenedEvent[]): Promise<ForwardResult[]> {
    const { signal, onResult } = this.#options
    const results: ForwardResult[] = []
    const queue = events.values()
    const work = async () => {
      for (const event of queue) {
        const result = await this.#forward(event)
        if (signal.aborted) return
        results.push(result)
        onResult(event, result)
      }
    }
    await Promise.all(Array.from({ length: IN_FLIGHT_MAX }, work))
    return results
  }

  async #forward({ event_id: eventId, event_type: eventType, body }: ListenedEvent) {
    const { receiver, signal } = this.#options
    const { id: webhookId, secret } = this.listener
    const event = { webhookId, eventId, eventType, secret, body, nowMs: Date.now() }
    const request = { url: receiver.href, headers: signatureHeaders(event), body }
    const attempt = await this.#sender.send(request, signal)
    if (!signal.aborted) this.#noteReceiver(attempt.statusCode !== undefined, attempt.error)
    return {
      event_id: eventId,
      success: attempt.success,
      status_code: attempt.statusCode ?? null,
      latency_ms: attempt.latencyMs,
      error: attempt.error ?? null,
    }
  }

  /** Says once that the receiver is down, and that it is back. */
  #noteReceiver(hasAnswered: boolean, error = ''): void {
    const { notify, receiver } = this.#options
    if (hasAnswered !== this.#isReceiverDown) return
    this.#isReceiverDown = !hasAnswered
    if (hasAnswered) notify(`${receiver.href} answers again`)
    else notify(`${receiver.href} does not answer: ${error}. Is your receiver running?`)
  }

  /** Asks again until the service answers. `undefined`: it was given up, or the listener is a new one. */
  async #persist<T>(ask: (id: string) => Promise<T>, mayRenew = true): Promise<T | undefined> {
    const { signal, notify, retryMs: baseMs = RETRY_MS } = this.#options
    for (let failures = 0; !signal.aborted; ) {
      try {
        const answer = await ask(this.listener.id)
        if (failures > 0) notify('connected again')
        return answer
      } catch (error) {
        if (signal.aborted) return undefined
        if (!(error instanceof AuspexError)) throw error
        const { status, message, retryAfterSeconds = 0 } = error
        if (status === 404 && mayRenew) return await this.#renew()
        if (isLasting(status)) throw new OperatorError(message)
        const waitMs = Math.max(
          retryAfterSeconds * 1_000,
          backoffMs({ baseMs, maxMs: RETRY_MS_MAX }, ++failures),
        )
        notify(`the service: ${message}; asking again in ${(waitMs / 1_000).toFixed(1)} s`)
        await systemTiming.sleep(waitMs, signal).catch(() => undefined)
      }
    }
    return undefined
  }

  /** The service deletes listeners that do not ask for a while: as when this machine was asleep. */
  async #renew(): Promise<undefined> {
    const { listeners, wish, notify, signal } = this.#options
    const { secret } = this.listener
    const made = await this.#persist(() => listeners.create({ ...wish, secret }, signal), false)
    if (made === undefined) return
    this.listener = made
    notify('listening anew, with the same secret: events may be missing here')
  }
}

/** Refusals that stay, however often the client asks. */
const isLasting = (status: number | undefined): boolean =>
  status !== undefined && status < 500 && status !== 429
