import { setTimeout as delay } from 'node:timers/promises'

const PAUSE_MS = 20
const REPLY_MS_MAX = 20_000

/** `atMs`: by the clock of the machine. `hasRetryAfter`: the answer says when to ask again. Status 0: none came. */
export type Asked = { atMs: number; ms: number; path: string; status: number; hasRetryAfter: boolean }

/** Asks for what people ask for, one request after another, and notes how long each takes. */
export class LoadClient {
  readonly asked: Asked[] = []
  readonly #url: string
  readonly #key: string
  #wallets: readonly string[] = []
  #isClosed = false
  readonly #running: Promise<void>

  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
  }

  async #run(): Promise<void> {
    for (let turn = 0; !this.#isClosed; turn++) {
      const paths = this.#paths(turn)
      await this.#ask(paths[turn % paths.length] ?? '')
      await delay(PAUSE_MS)
    }
  }

  #paths(turn: number): string[] {
    const wallet = this.#wallets[turn % this.#wallets.length]
    const everybody = ['/v3/trades?limit=100', '/v3/leaderboard?limit=50', '/v3/markets?limit=20']
    if (wallet === undefined) return everybody
    const own = ['', '/positions', '/trades?limit=50', '/pnl/events'].map(
      (rest) => `/v3/wallets/${wallet}${rest}`,
    )
    return [...everybody, ...own]
  }

  async #ask(path: string): Promise<void> {
    const startedAt = performance.now()
    const headers = { 'x-api-key': this.#key }
    const note = (status: number, hasRetryAfter: boolean) => {
      const ms = performance.now() - startedAt
      this.asked.push({ atMs: Date.now(), ms, path, status, hasRetryAfter })
    }
    try {
      const reply = await fetch(`${this.#url}${path}`, { headers, signal: AbortSignal.timeout(REPLY_MS_MAX) })
      const text = await reply.text()
      note(reply.status, reply.headers.has('retry-after'))
      if (reply.status === 200 && path.startsWith('/v3/trades')) this.#learn(JSON.parse(text))
    } catch {
      note(0, false)
    }
  }

  #learn({ trades }: { trades: { maker: string }[] }): void {
    this.#wallets = [...new Set(trades.map(({ maker }) => maker))]
  }
}
