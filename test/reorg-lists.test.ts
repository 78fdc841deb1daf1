import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { leaderboardScopes } from '../src/leaderboards/routes.js'
import { groupBy } from '../src/lib/group-by.js'
import { walletActivity, walletFlows } from '../src/wallets/activity/routes.js'
import type { ApiWorld } from './api-world.js'
import { type ComboWorld, selectBusiest } from './combo-world.js'
import { counts } from './counts.js'
import { COMBO_LISTS } from './lists/combos.js'
import { nameOfRow, type Subject } from './lists/subject.js'
import { SUBJECTS } from './lists/subjects.js'
import { randomFrom } from './random.js'
import { readHistory } from './reconcile/read-history.js'
import { openStreamWorld, type StreamWorld } from './streams/stream-world.js'
import { type ModelFill, readFills, walletsByFills } from './trades/fill-model.js'

const REORGS = counts({ short: 3, long: 40 })
const KILLS = counts({ short: 1, long: 5 })
const DEPTH_MAX = 6
/** "Within seconds": snapshots are refreshed by then, on a machine that runs other tests too. */
const REFRESHED_MS_MAX = 30_000
const LIMIT = 50
/** Views of each list that are walked each time. */
const VIEWS_MAX = counts({ short: 1, long: 3 })
const ZERO = `0x${'0'.repeat(64)}`

type Row = Record<string, unknown>
type View = { path: string; query: Record<string, string>; rows: string; hasCursor: boolean }

let world: StreamWorld
let key: string
beforeAll(async () => {
  world = await openStreamWorld({ seed: 26, intensity: 30, comboShare: 0.2, blocksBefore: 40 })
  key = await world.createCaller('enterprise')
}, 180_000)
afterAll(() => world.close())

async function ask(path: string, query: object = {}) {
  const search = new URLSearchParams(query as Record<string, string>)
  const reply = await fetch(`${world.urls[0]}${path}?${search}`, { headers: { 'x-api-key': key } })
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}

/** All rows of a list. A board that was refreshed meanwhile is walked again from its beginning. */
async function walk({ path, query, rows, hasCursor }: View): Promise<Row[]> {
  const walked: Row[] = []
  const needed = query.pagination === undefined && hasCursor && path.endsWith('leaderboard')
  const first = { ...query, ...(needed && { pagination: 'cursor' }), limit: String(LIMIT) }
  for (let page: object = first, offset = LIMIT; ; offset += LIMIT) {
    const { status, body } = await ask(path, page)
    if (status === 409) return walk({ path, query, rows, hasCursor })
    expect(status, `${path} ${JSON.stringify(page)} ${JSON.stringify(body)}`).toBe(200)
    walked.push(...(body[rows] as Row[]))
    if (body.has_more !== true) return walked
    page = hasCursor ? { ...first, cursor: body.next_cursor } : { ...first, offset: String(offset) }
  }
}

const mostActive = ({ fills }: ApiWorld) => walletsByFills(fills)[0] ?? ''

/** Lists that have too few rows in the world of the API tests. */
const OTHER_LISTS: Subject[] = [
  {
    list: walletActivity,
    paged: [{}],
    unpaged: [],
    path: (filled) => `/v3/wallets/${mostActive(filled)}/activity`,
  },
  {
    list: walletFlows,
    paged: [{}],
    unpaged: [],
    path: (filled) => `/v3/wallets/${mostActive(filled)}/polyusd-flows`,
  },
  {
    list: leaderboardScopes,
    paged: [{ scope: 'tag', period: '7d' }],
    unpaged: [],
    path: () => '/v3/leaderboard/scopes',
  },
]

/** Every list, filled in with what has most rows on the chain of now. */
async function listViews(fills: readonly ModelFill[]): Promise<View[]> {
  const markets = fills.filter(({ isCombo }) => !isCombo)
  const { trader, actor, condition } = await selectBusiest(world.sql)
  // No combo may have been redeemed yet.
  const busiest = { trader, actor: actor ?? trader, condition: condition ?? ZERO }
  const filled = { universe: world.universe, fills: markets, busiest } as ComboWorld
  return [...SUBJECTS, ...COMBO_LISTS, ...OTHER_LISTS].flatMap((subject) => {
    const { list, path, base, paged } = subject
    const needed = typeof base === 'function' ? base(filled) : base
    return paged.slice(0, VIEWS_MAX).map((view) => ({
      path: path(filled),
      query: { ...needed, ...view },
      rows: list.name,
      hasCursor: 'cursor' in list.query.properties,
    }))
  })
}

/** Waits until the service has booked the last block of the chain, which stands still. */
async function untilBooked(): Promise<void> {
  const { number, hash } = await world.freeze()
  await vi.waitFor(
    async () => {
      const [state] = await world.sql<{ block: number; hash: string }[]>`
        select block, '0x' || encode(block_hash, 'hex') as hash from chain_state`
      expect(state).toEqual({ block: number, hash })
    },
    { timeout: 60_000, interval: 20 },
  )
}

/** Waits until every snapshot has seen the last reorganisation; returns how long that took. */
async function untilRefreshed(): Promise<number> {
  const startMs = performance.now()
  const unseen = async () => {
    const [row] = await world.sql<{ unseen: number }[]>`
      with states as (
        select block, rewind from board_state
        union all select block, rewind from builder_board_state
        union all select head_block, rewind from combo_state
        union all select ranked_block, ranked_rewind from combo_state
        union all select block, rewind from stats_snapshots
      )
      select count(*)::integer as unseen from states s
       where exists (select from rewinds r where r.id > s.rewind and r.to_block < s.block)`
    expect(row?.unseen).toBe(0)
  }
  await vi.waitFor(unseen, { timeout: REFRESHED_MS_MAX, interval: 50 })
  return performance.now() - startMs
}

const nameOf = ({ txHash, orderHash, logIndex }: ModelFill) => `${txHash}_${orderHash}_${logIndex}`
const usd = (amount: bigint): number => Number(amount) / 1e6

/** No row twice, and none of a transaction that is not on the chain. */
async function expectCanonical(view: View, transactions: ReadonlySet<string>): Promise<void> {
  const title = `${view.path} ${JSON.stringify(view.query)}`
  const rows = await walk(view)
  const names = rows.map(nameOfRow)
  expect(new Set(names).size, title).toBe(names.length)
  const hashes = rows.flatMap((row) => row.transaction_hash ?? row.tx_hash ?? row.tx_hashes ?? [])
  expect(
    hashes.filter((hash) => !transactions.has(String(hash))),
    title,
  ).toEqual([])
}

/** All fills, each once, as the chain has them. */
async function expectTrades(fills: readonly ModelFill[]): Promise<void> {
  const rows = await walk({ path: '/v3/trades', query: {}, rows: 'trades', hasCursor: true })
  const expected = fills.filter(({ isCombo }) => !isCombo).map(nameOf)
  expect(rows.map(({ id }) => id)).toEqual(expected.reverse())
}

const STATS: View = { path: '/v3/markets/stats', query: { period: 'all' }, rows: 'data', hasCursor: true }

/** The last block that a snapshot has counted. */
async function blockOf(snapshot: 'statistics' | 'builder boards'): Promise<number> {
  const rows =
    snapshot === 'statistics'
      ? world.sql<{ block: number }[]>`select block from stats_snapshots where period = 'all'`
      : world.sql<{ block: number }[]>`select block from builder_board_state`
  return (await rows)[0]?.block ?? 0
}

/**
 * The rows of markets count the fills of taking orders, whose counterparty is an exchange. Between a reorganisation and
 * the refresh a snapshot lacks the newest ones, so any number of first fills of a market is right then, and markets
 * that had reverted fills are left out.
 */
async function expectStats(fills: readonly ModelFill[], isRefreshed: boolean): Promise<void> {
  const block = await blockOf('statistics')
  const takers = fills.filter(({ isCombo, taker, exchange }) => !isCombo && taker === exchange)
  const counted = isRefreshed ? takers.filter((fill) => fill.block <= block) : takers
  const byToken = groupBy(counted, ({ token }) => token)
  const rows = await walk(STATS)
  if ((await blockOf('statistics')) !== block) return expectStats(fills, isRefreshed)
  let total = 0
  for (const row of rows) {
    const tokens = (row.prices as { token_id: string }[]).map((price) => price.token_id)
    const all = tokens.flatMap((token) => byToken.get(token) ?? []).sort(byPlace)
    const first = isRefreshed ? all : all.slice(0, Number(row.trades))
    const volume = first.reduce((sum, fill) => sum + fill.usd, 0n)
    const { condition_id: condition, trades, volume_usd: shown, last_trade_ts: last } = row
    expect({ condition, trades, shown, last }).toEqual({
      condition,
      trades: first.length,
      shown: usd(volume),
      last: first.at(-1)?.timeSec,
    })
    total += first.length
  }
  expect(new Set(rows.map((row) => row.condition_id)).size).toBe(rows.length)
  if (isRefreshed) expect(total).toBe(counted.length)
}

const byPlace = (a: ModelFill, b: ModelFill) => a.block - b.block || a.logIndex - b.logIndex

/** Boards of builders count the fills of each wallet that name the builder, as statistics count those of markets. */
async function expectBuilderBoards(fills: readonly ModelFill[], isRefreshed: boolean): Promise<void> {
  const block = await blockOf('builder boards')
  const byBuilder = groupBy(
    fills.filter((fill) => fill.builder !== ZERO && !fill.isCombo && (!isRefreshed || fill.block <= block)),
    ({ builder }) => builder,
  )
  const builders = [...byBuilder].sort(([, a], [, b]) => b.length - a.length).slice(0, 3)
  for (const [builder, ofBuilder] of builders) {
    const path = `/v3/builders/${builder}/leaderboard`
    const rows = await walk({ path, query: {}, rows: 'data', hasCursor: true })
    if ((await blockOf('builder boards')) !== block) {
      return expectBuilderBoards(fills, isRefreshed)
    }
    const byWallet = groupBy(ofBuilder, ({ maker }) => maker)
    for (const row of rows) {
      const all = byWallet.get(String(row.wallet)) ?? []
      const first = isRefreshed ? all : all.slice(0, Number(row.trades))
      const volume = first.reduce((sum, { shares }) => sum + shares, 0n)
      const { wallet, trades, volume_e6: shown } = row
      const expected = { wallet, trades: first.length, shown: `${volume}` }
      expect({ wallet, trades, shown }, path).toEqual(expected)
    }
    if (isRefreshed) expect(rows.length, path).toBe(byWallet.size)
  }
}

/** Every wallet on the board has what the ledger had at the block of the board, by its journal. */
async function expectLeaderboard(): Promise<void> {
  const view = { path: '/v3/leaderboard', query: {}, rows: 'leaderboard', hasCursor: true }
  const standing = () => world.sql<{ block: number; snapshot: number }[]>`
    select block, snapshot from board_state`
  const [before] = await standing()
  const rows = await walk(view)
  const totals = await world.sql<{ wallet: string; bought: bigint; realized: bigint }[]>`
    with changed as (
      select distinct on (key) key[1] as wallet, coalesce(image[6], 0) as realized,
             coalesce(image[9], 0) as bought
        from undo
       where state = 'wallet_totals' and block > ${before?.block ?? 0}
       order by key, block
    )
    select '0x' || encode(w.address, 'hex') as wallet,
           coalesce(c.bought, t.bought, 0) as bought,
           coalesce(c.realized, t.realized, 0) as realized
      from wallets w
      left join wallet_totals t on t.wallet = w.id
      left join changed c on c.wallet = w.id`
  // It was refreshed meanwhile: the rows may be of either.
  const [after] = await standing()
  if (after?.snapshot !== before?.snapshot) return expectLeaderboard()
  expect(rows.length).toBeGreaterThan(0)
  const byWallet = new Map(totals.map((row) => [row.wallet, row]))
  for (const { wallet, total_volume: volume, net_realized_pnl: realized } of rows) {
    const then = byWallet.get(String(wallet))
    expect({ wallet, volume, realized }).toEqual({
      wallet,
      volume: usd(then?.bought ?? -1n),
      realized: usd(then?.realized ?? -1n),
    })
  }
}

/** Scores count what the chain has up to the block of their walk, or are pending. */
async function expectScores(): Promise<void> {
  const { status, body } = await ask('/v2/copy-pnl/snapshot', { periods: '7d' })
  expect(status).toBe(200)
  const walks = await world.sql<{ wallet: string; block: number }[]>`
    select '0x' || encode(wallet, 'hex') as wallet, block from copy_wallets where block is not null`
  const blocks = new Map(walks.map(({ wallet, block }) => [wallet, block]))
  for (const { wallet, periods } of body.wallets as { wallet: string; periods: Row }[]) {
    const stored = periods['7d'] as Row | null
    const block = blocks.get(wallet)
    if (stored === null || block === undefined) continue
    const to = world.universe.chain.timestampSec(block)
    const window = { from: String(to - 7 * 86_400), to: String(to) }
    const { body: counted } = await ask(`/v2/copy-pnl/${wallet}`, window)
    // A walk that ended since has newer facts.
    const [now] = await world.sql`
      select from copy_wallets
       where '0x' || encode(wallet, 'hex') = ${wallet} and block = ${block}`
    if (now === undefined) continue
    expect(stored.actual_pnl_usdc, wallet).toBe(counted.actual_pnl_usdc)
  }
}

type Export = { wallet: string; to: number }

/** All fills of the orders of a wallet, without combos, in an answer that is kept from before the reorganisation. */
async function expectExport({ wallet, to }: Export, fills: readonly ModelFill[]): Promise<void> {
  const query = { view: 'own', to: String(to) }
  const { status, body } = await ask(`/v2/onchain/wallets/${wallet}/trades/all`, query)
  expect(status, JSON.stringify(body)).toBe(200)
  const own = fills.filter((fill) => fill.maker === wallet && fill.timeSec <= to && !fill.isCombo)
  const nameOfFill = ({ txHash, orderHash }: ModelFill) => `${txHash}_${orderHash}`
  expect((body.trades as Row[]).map((row) => `${row.tx_hash}_${row.order_hash}`).sort()).toEqual(
    own.map(nameOfFill).sort(),
  )
}

async function addToPool(fills: readonly ModelFill[]): Promise<void> {
  const addresses = [...new Set(fills.slice(-60).map(({ maker }) => maker))].slice(0, 20)
  const reply = await fetch(`${world.urls[0]}/v2/copy-pnl/wallets`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ addresses }),
  })
  expect(reply.status, await reply.clone().text()).toBe(200)
}

async function read(): Promise<ModelFill[]> {
  const fills = await readFills(world.simulator.upstreams.polygon_http, world.universe)
  return fills.filter(({ block }) => block >= world.fromBlock)
}

async function readTransactions(): Promise<Set<string>> {
  const transactions = new Set<string>()
  for await (const logs of readHistory(world.simulator.upstreams.polygon_http, world.fromBlock)) {
    for (const { transactionHash } of logs) transactions.add(transactionHash)
  }
  return transactions
}

/** Fills that are no longer on the chain, by the wallets on both sides. */
function revertedWallets(before: readonly ModelFill[], after: readonly ModelFill[]): Set<string> {
  const standing = new Set(after.map((fill) => `${fill.block} ${nameOf(fill)}`))
  const gone = before.filter((fill) => !standing.has(`${fill.block} ${nameOf(fill)}`))
  return new Set(gone.flatMap(({ maker, taker }) => [maker, taker]))
}

test('after /readyz says ready, every board and statistic answers', async () => {
  const paths = [
    '/v3/leaderboard',
    '/v3/leaderboard?period=7d',
    '/v3/combos/leaderboard',
    '/v3/combos/markets',
    '/v3/markets/stats',
    '/v3/events/stats?period=30d',
    '/v2/copy-pnl/snapshot',
  ]
  await world.kill(0)
  await world.sql`update board_state set block = null`
  await world.sql`update combo_state set head_block = null, ranked_block = null, epoch = null`
  await world.sql`update builder_board_state set taken_at = null`
  await world.sql`delete from stats_snapshots`
  await world.restart(0)
  const replies = await Promise.all(
    paths.map((path) =>
      ask(path.split('?')[0] ?? '', Object.fromEntries(new URLSearchParams(path.split('?')[1]))),
    ),
  )
  expect(replies.map(({ status }, index) => [paths[index], status])).toEqual(paths.map((path) => [path, 200]))
})

// Minutes long even with few counts: it runs with the long tests alone.
test.skipIf(process.env.AUSPEX_TEST_LONG !== '1')(
  `${REORGS} reorganisations and ${KILLS} kills: every list has each canonical row once and no reverted one`,
  async () => {
    const below = randomFrom(26)
    const refreshMs: number[] = []
    let reverted = 0
    for (let round = 1; round <= REORGS; round++) {
      const isKill = round % Math.floor(REORGS / KILLS) === 0
      await delay(2_000 + below(2_000))
      await untilBooked()
      const before = await read()
      if (round === 1) await addToPool(before)
      const last = before.findLast(({ isCombo }) => !isCombo)
      const kept = { wallet: last?.maker ?? '', to: last?.timeSec ?? 0 }
      await expectExport(kept, before)
      world.universe.reorg(1 + below(DEPTH_MAX))
      if (isKill) {
        await delay(below(300))
        await world.kill(0)
        await world.restart(0)
      }
      await untilBooked()
      const fills = await read()
      const wallets = revertedWallets(before, fills)
      reverted += wallets.size

      // Right after it.
      await expectStats(fills, false)
      await expectBuilderBoards(fills, false)
      await expectLeaderboard()
      await expectScores()
      await expectTrades(fills)
      await expectExport(kept, fills)
      const transactions = await readTransactions()
      for (const view of await listViews(fills)) await expectCanonical(view, transactions)

      refreshMs.push(await untilRefreshed())
      if (round % 4 === 0 || round === REORGS) {
        await expectStats(fills, true)
        await expectBuilderBoards(fills, true)
        await expectLeaderboard()
      }
      world.thaw()
    }
    expect(reverted).toBeGreaterThan(REORGS)
    console.log(`snapshots were refreshed within ${Math.round(Math.max(...refreshMs))} ms`)
  },
  REORGS * 120_000,
)
