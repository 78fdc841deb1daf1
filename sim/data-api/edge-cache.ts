import { LRUCache } from 'lru-cache'
import type { HttpReply, HttpRequest } from '../server/host.js'
import type { Universe } from '../universe/universe.js'

/** How long the network in front of the host repeats an answer to the same address. */
const MAX_AGES_SEC: ReadonlyMap<string, number> = new Map([
  ['/trades', 300],
  ['/activity', 15],
])
const ROWS_KEPT = 20_000
/** An address counts too: a client can make up any number of long ones. */
const ROW_CHARACTERS = 500

type Kept = { reply: HttpReply; storedMs: number }

/** Repeats answers by their whole address, whatever the client says: a changed dummy parameter gets a fresh one. */
export class EdgeCache {
  readonly #universe: Universe
  readonly #answers = new LRUCache<string, Kept>({
    maxSize: ROWS_KEPT,
    sizeCalculation: ({ reply }, url) =>
      1 +
      Math.floor(url.length / ROW_CHARACTERS) +
      (Array.isArray(reply.body) ? reply.body.length : 0),
  })

  constructor(universe: Universe) {
    this.#universe = universe
  }

  answer(request: HttpRequest, handle: () => HttpReply): HttpReply {
    const maxAgeSec = MAX_AGES_SEC.get(request.path.replace(/^\/v1/, ''))
    if (maxAgeSec === undefined) return handle()
    const { nowMs } = this.#universe
    const known = this.#answers.get(request.url)
    const ageSec = known === undefined ? 0 : Math.floor((nowMs - known.storedMs) / 1000)
    if (known !== undefined && ageSec < maxAgeSec) return label(known.reply, maxAgeSec, ageSec)

    const reply = handle()
    if (reply.status !== 200) return reply
    this.#answers.set(request.url, { reply, storedMs: nowMs })
    return label(reply, maxAgeSec, 0)
  }
}

const label = (reply: HttpReply, maxAgeSec: number, ageSec: number): HttpReply => ({
  ...reply,
  headers: { 'cache-control': `public, max-age=${maxAgeSec}`, age: String(ageSec) },
})
