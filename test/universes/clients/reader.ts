import { setTimeout as delay } from 'node:timers/promises'

/**
 * A page of trades that a reader got. `newestBlock`: the one that the chain had when it came. `isAfterReorg`: blocks were replaced
 * shortly before, so the service may have been between the old ones and the new ones.
 */
export type ReadPage = {
  headBlock: number
  newestBlock: number
  isAfterReorg: boolean
  /** `undefined`: the chain never was reorganised. */
  sinceReorgMs: number | undefined
  transactions: readonly string[]
  limit: number
}

const PAUSE_MS = 40
const REPLY_MS_MAX = 10_000
const LIMITS = [10, 50, 200]
/**
 * A service has taken the blocks of a reorganisation back, and read those in their place, within this time: as long as
 * it may take to be whole again. It may hear of it later, when its node does not answer: then the time begins with the
 * first answer of a lower block.
 */
const REORG_MS_MAX = 90_000

/** `reorgMs`: when its last blocks were replaced; `undefined`: never. */
export type ReadChain = { newestBlock: () => number; reorgMs: () => number | undefined }

/**
 * Reads the newest trades again and again, from one process after another. With each request it sends the block of
 * the answer before, so none may be older, unless the chain was reorganised.
 */
export class Reader {
  readonly pages: ReadPage[] = []
  readonly notices: string[] = []
  /** Answers that usage counts. */
  counted = 0
  /** Requests without an answer: the service may have counted them. */
  unanswered = 0
  #headBlock = 0
  /** `seenMs`: when an answer first had a lower block because of it. */
  #reorg: { atMs: number; seenMs: number | undefined } | undefined
  #isClosed = false
  readonly #urls: readonly string[]
  readonly #key: string
  readonly #chain: ReadChain
  readonly #running: Promise<void>

  constructor(urls: readonly string[], key: string, chain: ReadChain) {
    this.#urls = urls
    this.#key = key
    this.#chain = chain
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
  }

  async #run(): Promise<void> {
    for (let turn = 0; !this.#isClosed; turn++) {
      await this.#read(this.#urls[turn % this.#urls.length] ?? '', LIMITS[turn % LIMITS.length] ?? 10)
      await delay(PAUSE_MS)
    }
  }

  async #read(url: string, limit: number): Promise<void> {
    const headers = {
      'x-api-key': this.#key,
      ...(this.#headBlock > 0 && { 'x-head-block': `${this.#headBlock}` }),
    }
    const signal = AbortSignal.timeout(REPLY_MS_MAX)
    try {
      const reply = await fetch(`${url}/v3/trades?limit=${limit}`, { headers, signal })
      const text = await reply.text()
      if (reply.status < 500) this.counted++
      if (reply.status === 200) this.#keep(Number(reply.headers.get('x-head-block')), limit, JSON.parse(text))
      else this.#judgeRefusal(reply, text)
    } catch {
      this.unanswered++
    }
  }

  #keep(headBlock: number, limit: number, body: { trades: { transaction_hash: string }[] }): void {
    const isAfterReorg = this.#isAfterReorg(headBlock < this.#headBlock)
    if (headBlock < this.#headBlock && !isAfterReorg) {
      this.notices.push(`block ${headBlock} after ${this.#headBlock}`)
    }
    this.#headBlock = headBlock
    const transactions = body.trades.map((trade) => trade.transaction_hash)
    const newestBlock = this.#chain.newestBlock()
    const reorgMs = this.#chain.reorgMs()
    const sinceReorgMs = reorgMs && Math.round(performance.now() - reorgMs)
    this.pages.push({ headBlock, newestBlock, isAfterReorg, sinceReorgMs, limit, transactions })
  }

  #isAfterReorg(isLower: boolean): boolean {
    const atMs = this.#chain.reorgMs()
    if (atMs === undefined) return false
    if (this.#reorg?.atMs !== atMs) this.#reorg = { atMs, seenMs: undefined }
    const nowMs = performance.now()
    if (isLower) this.#reorg.seenMs ??= nowMs
    return nowMs - (this.#reorg.seenMs ?? atMs) < REORG_MS_MAX
  }

  /** Of faults only that of a service without its database is allowed, and it says when to ask again. */
  #judgeRefusal(reply: Response, text: string): void {
    if (reply.status === 503 && reply.headers.has('retry-after')) return
    this.notices.push(`${reply.url} answered ${reply.status}: ${text.slice(0, 200)}`)
  }
}
