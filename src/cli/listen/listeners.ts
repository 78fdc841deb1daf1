import { AuspexClient, AuspexError } from 'auspex-client'
import type { ServiceAddress } from '../../config/service-address.js'
import { codeOf } from '../../core/errors.js'
import { withLinked } from '../../lib/abort.js'
import { startTimeout } from '../../lib/timeout.js'
import type { ForwardResult } from '../../webhooks/listen/schemas.js'

/** What a listener asks for: the fields of a webhook that has no address. */
export type ListenerWish = { eventTypes: readonly string[]; filters: object; secret?: string }

/** A listener at the service. */
export type Listener = { id: string; secret: string }

/** An event that waits for a listener. */
export type ListenedEvent = { event_id: string; event_type: string; body: string }

const PATH = '/v3/webhooks/listeners'
/** How long the service may wait for events. */
const WAIT_MS = 20_000
const EVENTS_MAX = 100
/** An answer, without the wait for events. */
const ANSWER_MS_MAX = 10_000
/** The command ends whether the service takes the listener away or not. */
const REMOVE_MS_MAX = 2_000

type Asked = { path?: object; query?: object; body?: object; signal?: AbortSignal; timeoutMs?: number }

/** Asks a service about listeners, once each time. What fails is an AuspexError. */
export class Listeners {
  readonly #client: AuspexClient

  constructor({ url, key }: ServiceAddress) {
    this.#client = new AuspexClient({ baseUrl: url.origin, apiKey: key, retries: 0 })
  }

  async create({ eventTypes, ...wish }: ListenerWish, signal: AbortSignal): Promise<Listener> {
    return await this.#ask('post', PATH, { body: { event_types: eventTypes, ...wish }, signal })
  }

  /** Waits for events for a while; empty: none came. */
  async poll(id: string, signal: AbortSignal): Promise<ListenedEvent[]> {
    const query = { wait_ms: WAIT_MS, limit: EVENTS_MAX }
    const asked = { path: { id }, query, signal, timeoutMs: WAIT_MS + ANSWER_MS_MAX }
    return (await this.#ask<{ events: ListenedEvent[] }>('get', `${PATH}/{id}/events`, asked)).events
  }

  /** May be repeated: results that the service has already change nothing. */
  async confirm(id: string, results: readonly ForwardResult[], signal: AbortSignal): Promise<void> {
    await this.#ask('post', `${PATH}/{id}/results`, { path: { id }, body: { results }, signal })
  }

  async remove(id: string): Promise<void> {
    await this.#ask('delete', `${PATH}/{id}`, { path: { id }, timeoutMs: REMOVE_MS_MAX })
  }

  async #ask<Answer>(
    method: 'get' | 'post' | 'delete',
    path: string,
    { signal, timeoutMs = ANSWER_MS_MAX, ...request }: Asked,
  ): Promise<Answer> {
    return await withLinked([signal], async (linked) => {
      const stop = startTimeout(timeoutMs, () => linked.abort(new AuspexError('no answer in time')))
      try {
        return await this.#client.request<Answer>(method, path, { ...request, signal: linked.signal })
      } catch (error) {
        throw isRefused(error) ? new AuspexError('nothing answers there', { cause: error }) : error
      } finally {
        stop()
      }
    })
  }
}

/** No process listens at the address. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error && (codeOf(error) === 'ECONNREFUSED' || isRefused(error.cause))
