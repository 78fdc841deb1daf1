import { type Dispatcher, request } from 'undici'
import type { ServiceAddress } from '../../config/service-address.js'
import { codeOf, messageOf } from '../../core/errors.js'
import { withLinked } from '../../lib/abort.js'
import { startTimeout } from '../../lib/timeout.js'
import type { ForwardResult } from '../../webhooks/listen/schemas.js'

/** What a listener asks for: the fields of a webhook that has no address. */
export type ListenerWish = { eventTypes: readonly string[]; filters: object; secret?: string }

/** A listener at the service. */
export type Listener = { id: string; secret: string }

/** An event that waits for a listener. */
export type ListenedEvent = { event_id: string; event_type: string; body: string }

/** How long the service may wait for events. */
const WAIT_MS = 20_000
const EVENTS_MAX = 100
/** An answer, without the wait for events. */
const ANSWER_MS_MAX = 10_000
/** The command ends whether the service takes the listener away or not. */
const REMOVE_MS_MAX = 2_000

/** The service did not answer, or with an error. */
export class ListenerFault extends Error {
  override name = 'ListenerFault'
  /** `undefined`: there was no HTTP answer. */
  readonly status: number | undefined
  readonly retryAfterMs: number

  constructor(message: string, status?: number, retryAfterMs = 0) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** Asks a service about listeners. What fails is a ListenerFault. */
export class ListenerClient {
  readonly #service: ServiceAddress

  constructor(service: ServiceAddress) {
    this.#service = service
  }

  async create({ eventTypes, ...wish }: ListenerWish, signal: AbortSignal): Promise<Listener> {
    const body = { event_types: eventTypes, ...wish }
    return (await this.#ask('POST', '', { body, signal })) as Listener
  }

  /** Waits for events for a while; empty: none came. */
  async poll(id: string, signal: AbortSignal): Promise<ListenedEvent[]> {
    const path = `/${id}/events?wait_ms=${WAIT_MS}&limit=${EVENTS_MAX}`
    const timeoutMs = WAIT_MS + ANSWER_MS_MAX
    const answer = await this.#ask('GET', path, { signal, timeoutMs })
    return (answer as { events: ListenedEvent[] }).events
  }

  /** May be repeated: results that the service has already change nothing. */
  async confirm(id: string, results: readonly ForwardResult[], signal: AbortSignal): Promise<void> {
    await this.#ask('POST', `/${id}/results`, { body: { results }, signal })
  }

  async remove(id: string): Promise<void> {
    const { signal } = new AbortController()
    await this.#ask('DELETE', `/${id}`, { signal, timeoutMs: REMOVE_MS_MAX })
  }

  async #ask(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    asked: { body?: object; signal: AbortSignal; timeoutMs?: number },
  ): Promise<unknown> {
    const { body, signal, timeoutMs = ANSWER_MS_MAX } = asked
    const { url, key } = this.#service
    return await withLinked([signal], async (linked) => {
      const stop = startTimeout(timeoutMs, () => linked.abort(new Error('no answer in time')))
      try {
        const reply = await request(new URL(`/v3/webhooks/listeners${path}`, url), {
          method,
          headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
          body: body === undefined ? null : JSON.stringify(body),
          signal: linked.signal,
        })
        const answer: unknown = await reply.body.json().catch(() => undefined)
        if (reply.statusCode < 300 && answer !== undefined) return answer
        throw toFault(reply, answer)
      } catch (error) {
        throw error instanceof ListenerFault ? error : new ListenerFault(describeLoss(error))
      } finally {
        stop()
      }
    })
  }
}

function toFault({ statusCode: status, headers }: Dispatcher.ResponseData, answer: unknown): ListenerFault {
  const { error, message, hint } = (answer ?? {}) as Record<string, unknown>
  // Where there is a message, the error is a code for programs.
  const text = [message ?? error ?? `the service answered with ${status}`, hint]
    .filter((part) => part !== undefined)
    .join(' ')
  return new ListenerFault(text, status, (Number(headers['retry-after']) || 0) * 1_000)
}

const describeLoss = (error: unknown): string =>
  codeOf(error) === 'ECONNREFUSED' ? 'nothing answers there' : messageOf(error)
