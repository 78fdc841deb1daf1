import { LRUCache } from 'lru-cache'
import type { HttpReply, HttpRequest } from './host.js'
import type { HostFaults } from './host-faults.js'
import { showBody } from './http-reply.js'

const KEPT_CHARACTERS_MAX = 4_000_000

/** Remembers answers, so that a host can repeat them as a cache with stale contents would. */
export class AnswerMemory {
  readonly #answers = new LRUCache<string, HttpReply>({
    maxSize: KEPT_CHARACTERS_MAX,
    maxEntrySize: KEPT_CHARACTERS_MAX / 4,
  })

  async answer(
    request: HttpRequest,
    faults: HostFaults,
    handle: () => HttpReply | Promise<HttpReply>,
  ): Promise<HttpReply> {
    const key = `${request.method} ${request.url} ${request.body}`
    const known = faults.hits('stale') ? this.#answers.get(key) : undefined
    if (known !== undefined) return known
    const reply = await handle()
    const body = showBody(reply)
    const kept = { ...reply, body }
    this.#answers.set(key, kept, { size: key.length + body.length })
    return kept
  }
}
