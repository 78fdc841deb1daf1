import { Registry } from 'prom-client'
import { encodeAct } from '../../sim/contracts/encode.js'
import { createOrder, createWallet } from '../../sim/contracts/test-world.js'
import type { Act, Fill, Side } from '../../sim/universe/acts.js'
import type { Market, Token } from '../../sim/universe/market.js'
import type { Wallet } from '../../sim/universe/wallet.js'
import { createTestApp, type TestApp } from '../../test/test-app.js'
import { BLOCK, toChainLogs } from '../chain/attribute/test-chain-logs.js'
import { BlockWriter } from '../chain/write/block-writer.js'
import { Alarm } from '../lib/alarm.js'
import { createLog } from '../lib/log.js'
import { copyPnlRoutes } from './routes.js'
import { CopyScorer, createCopyMetrics } from './scorer.js'

export const DAY = 24 * 60 * 60

const MAKER = createWallet(99, 'safe')

const MILLION = 1_000_000

type ScorerLimits = { budgetMs?: number; pageFacts?: number; pollMs?: number }

/** Books what wallets did on a chain of its own, in the database of the production application. */
export class CopyWorld {
  readonly t: TestApp
  readonly key: string
  /** Rung by requests that add wallets. */
  readonly alarm: Alarm
  readonly #writer: BlockWriter
  #block = BLOCK

  private constructor(
    t: TestApp,
    { key, alarm, writer }: { key: string; alarm: Alarm; writer: BlockWriter },
  ) {
    this.t = t
    this.key = key
    this.alarm = alarm
    this.#writer = writer
  }

  static async open(): Promise<CopyWorld> {
    const alarm = new Alarm()
    const t = await createTestApp({ routes: (ctx) => [copyPnlRoutes(ctx, { alarm })] })
    const { key } = await t.createCaller('growth')
    return new CopyWorld(t, { key, alarm, writer: await BlockWriter.open({ pool: t.ctx.sql }) })
  }

  get nowSec(): number {
    return Math.floor(this.t.clock.now() / 1000)
  }

  /** One block, this many seconds ago, with a transaction for each act. Blocks come in order. */
  async book(agoSec: number, ...acts: readonly Act[]): Promise<void> {
    const number = this.#block++
    const [hash, parentHash] = [hashOf(number), hashOf(number - 1)]
    const timeSec = this.nowSec - agoSec
    const logs = toChainLogs(...acts.map(encodeAct)).map((log) => {
      const at = { ...log.at, blockNumber: number, blockHash: hash, timestampSec: timeSec }
      return { ...log, at: { ...at, txHash: hashOf(number * 1000 + log.at.txIndex) } }
    })
    const blocks = [{ number, hash, parentHash, timeSec }]
    await this.#writer.append([{ fromBlock: number, toBlock: number, logs, blocks, isNearHead: true }])
  }

  /** A request; a body makes it a POST. */
  async ask(url: string, options: { method?: 'POST' | 'DELETE'; body?: unknown; key?: string } = {}) {
    const { body, key = this.key } = options
    const method = options.method ?? (body === undefined ? 'GET' : 'POST')
    const isText = typeof body === 'string'
    return await this.t.app.inject({
      method,
      url: `/v2/copy-pnl/${url}`,
      headers: {
        'x-api-key': key,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: isText ? body : JSON.stringify(body) }),
    })
  }

  async read(url: string, key = this.key) {
    const reply = await this.ask(url, { key })
    if (reply.statusCode !== 200) throw new Error(`${reply.statusCode} ${reply.body}`)
    return reply.json()
  }

  async add(wallets: readonly string[], key = this.key) {
    return (await this.ask('wallets', { body: { addresses: wallets }, key })).json()
  }

  /** What a process has, beside the database. Its scoring runs are counted. */
  createScorer(limits: ScorerLimits = {}, alarm = new Alarm()) {
    const { ctx } = this.t
    const metrics = createCopyMetrics(new Registry())
    const log = createLog('error', { write: () => undefined })
    const scorer = new CopyScorer({
      store: ctx.store,
      clock: ctx.clock,
      log,
      metrics,
      alarm,
      limits: { pollMs: 5, ...limits },
    })
    return { scorer, metrics }
  }

  /** Scores what is due, as one process. */
  async score(limits: ScorerLimits = {}): Promise<void> {
    const { scorer } = this.createScorer(limits)
    const ending = new AbortController()
    const running = scorer.run(ending.signal)
    while (await this.#hasDue()) await new Promise((resolve) => setTimeout(resolve, 2))
    ending.abort()
    await running
  }

  async #hasDue(): Promise<boolean> {
    const [row] = await this.t.ctx.sql<{ due: boolean }[]>`
      select exists (select from copy_wallets
                      where dropped_at is null
                        and (is_leased or next_at <= ${new Date(this.t.clock.now())})) as due`
    return row?.due ?? false
  }

  close(): Promise<void> {
    return this.t.close()
  }
}

const hashOf = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

/** The wallet takes what a maker offers, in dollars a share. */
export function trade(
  wallet: Wallet,
  side: Side,
  token: Token,
  { shares, price }: { shares: number; price: number },
): Act {
  const amounts = {
    shares: Math.round(shares * MILLION),
    usd: Math.round(shares * price * MILLION),
    fee: 0,
    refund: 0,
  }
  const fill = (owner: Wallet, ownSide: Side): Fill => ({
    order: createOrder({ wallet: owner, token, side: ownSide }),
    ...amounts,
  })
  return {
    kind: 'match',
    exchange: 'v2',
    of: token.of,
    matchedMs: 0,
    taker: fill(wallet, side),
    makers: [fill(MAKER, side === 'BUY' ? 'SELL' : 'BUY')],
  }
}

export const redeemAll = (wallet: Wallet, market: Market, shares: number): Act => ({
  kind: 'redeem',
  route: 'adapter',
  wallet,
  market,
  amounts: [shares * MILLION, 0],
  payouts: [1, 0],
})
