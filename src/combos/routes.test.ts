import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ComboWorld, openComboWorld } from '../../test/combo-world.js'
import { LOGS_PER_BLOCK } from '../core/seq.js'
import { refreshComboAggregates } from './aggregates.js'

let world: ComboWorld
let holders: string[]
beforeAll(async () => {
  world = await openComboWorld()
  const rows = await world.ctx.sql<{ address: string }[]>`
    select '0x' || encode(address, 'hex') as address from wallets
     where id in (select wallet from combo_totals) order by id`
  holders = rows.map(({ address }) => address)
})
afterAll(() => world.close())

type Row = Record<string, unknown>
type Leg = Row & { leg_status: string; market?: Row }

const ask = async (path: string, query: object = {}) => {
  const reply = await world.get(path, { limit: 300, ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json()
}
const positionsOf = async (address: string, query: object = {}): Promise<Row[]> =>
  (await ask(`/v3/wallets/${address}/combos/positions`, query)).positions
const toMillionths = (text: unknown): bigint => BigInt(String(text).replace('.', ''))
const sumOf = (rows: Row[], field: string): bigint =>
  rows.reduce((sum, row) => sum + toMillionths(row[field]), 0n)
const refresh = () => refreshComboAggregates(world.ctx.sql, new AbortController().signal)

describe('GET /v3/wallets/:address/combos/positions', () => {
  test('200: the status of a position follows from its legs, its side and its balance', async () => {
    const seen = new Set<unknown>()
    for (const address of holders) {
      for (const row of await positionsOf(address)) {
        seen.add(row.status)
        expect(row.status).toBe(expectedStatus(row))
        const legs = row.legs as Leg[]
        const decided = legs.filter((leg) => leg.leg_status !== 'OPEN').length
        expect(row).toMatchObject({
          legs_total: legs.length,
          legs_resolved: decided,
          legs_pending: legs.length - decided,
        })
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(['open', 'RESOLVED_WIN', 'RESOLVED_LOSS']))
  })

  test('200: `status` selects the rows that are so, in any letter case', async () => {
    const isPaid = (row: Row) => row.status === 'RESOLVED_WIN' || row.status === 'RESOLVED_PARTIAL'
    const isHeld = (row: Row) => toMillionths(row.shares_balance) > 0n
    const isResolved = (row: Row) => String(row.status).startsWith('RESOLVED')
    const selects: Record<string, (row: Row) => boolean> = {
      open: (row) => row.status === 'open',
      closed: (row) => row.status === 'closed',
      OBSERVED: (row) => row.status === 'observed',
      resolved: isResolved,
      RESOLVED_WIN: (row) => row.status === 'RESOLVED_WIN',
      Resolved_Loss: (row) => row.status === 'RESOLVED_LOSS',
      redeemable: (row) => isPaid(row) && isHeld(row) && row.redeemable === true,
    }
    for (const address of holders.slice(0, 12)) {
      const all = await positionsOf(address)
      for (const [status, isWanted] of Object.entries(selects)) {
        expect(await positionsOf(address, { status }), status).toEqual(all.filter(isWanted))
      }
      const redeemed = await positionsOf(address, { status: 'redeemed' })
      const { activity } = await ask(`/v3/wallets/${address}/combos/activity`, {
        event_kind: 'PositionRedeemed',
      })
      const ids = new Set(activity.map((row: Row) => row.combo_position_id))
      const isRedeemed = (row: Row) => !isHeld(row) && ids.has(row.combo_position_id)
      expect(redeemed).toEqual(all.filter((row) => isResolved(row) && isRedeemed(row)))
      for (const row of all) {
        const own = activity.filter((each: Row) => each.combo_position_id === row.combo_position_id)
        expect(toMillionths(row.realized_payout_usdc)).toBe(sumOf(own, 'payout_usdc'))
      }
    }
  })

  test('200: names of a combo narrow the list, and contradicting ones empty it', async () => {
    const { trader } = world.busiest
    const [row, other] = await positionsOf(trader)
    const { combo_condition_id: condition, combo_position_id: position } = row ?? {}
    const ofCombo = await positionsOf(trader, { condition_id: condition })
    expect(ofCombo).toContainEqual(row)
    expect(new Set(ofCombo.map((each) => each.combo_condition_id))).toEqual(new Set([condition]))
    expect(await positionsOf(trader, { market_id: `${condition}01` })).toEqual(ofCombo)
    expect(await positionsOf(trader, { position_id: position })).toEqual([row])
    const contradicting = { condition_id: other?.combo_condition_id, position_id: position }
    expect(await positionsOf(trader, contradicting)).toEqual([])
    expect(await positionsOf(trader, { position_id: '9'.repeat(78) })).toEqual([])
  })

  test('200: legs name their market where the catalogue has it, and else only ids', async () => {
    const markets = world.universe.catalogue
      .combos()
      .flatMap(({ legs }) => legs.map(({ market, outcome, positionId }) => ({ market, outcome, positionId })))
    const byPosition = new Map(markets.map((leg) => [BigInt(leg.positionId).toString(), leg]))
    const { markets: combos } = await ask('/v3/combos/markets')
    const legs: Leg[] = combos.flatMap((row: Row) => row.legs as Leg[])
    const named = legs.filter((leg) => leg.market !== undefined)
    const unnamed = legs.filter((leg) => leg.market === undefined)
    expect(named.length).toBeGreaterThan(10)
    expect(unnamed.length).toBeGreaterThan(0)
    for (const leg of named) {
      const known = byPosition.get(String(leg.leg_position_id))
      expect(leg).toMatchObject({
        market_slug: known?.market.slug,
        leg_outcome_index: known?.outcome,
        leg_outcome_label: known?.market.outcomes[known.outcome],
        market_token_id: known?.market.tokens[known.outcome].decimal,
        market: { market_id: known?.market.id, slug: known?.market.slug },
      })
    }
    for (const leg of unnamed) {
      for (const name of ['market_slug', 'market_token_id', 'leg_outcome_label']) {
        expect(leg).not.toHaveProperty(name)
      }
    }
  })
})

/** From the legs alone: YES pays if all legs win, and one lost leg decides. */
function expectedStatus(row: Row): string {
  const results = (row.legs as Leg[]).map((leg) => leg.leg_status)
  const yes = results.includes('RESOLVED_LOSS')
    ? 'LOSS'
    : results.includes('OPEN')
      ? undefined
      : results.includes('RESOLVED_PARTIAL')
        ? 'PARTIAL'
        : 'WIN'
  if (yes === 'PARTIAL') return 'RESOLVED_PARTIAL'
  if (yes !== undefined) return (yes === 'WIN') === (row.side === 'YES') ? 'RESOLVED_WIN' : 'RESOLVED_LOSS'
  if (toMillionths(row.shares_balance) <= 0n) return 'closed'
  return row.entry_avg_price_usdc === null ? 'observed' : 'open'
}

describe('GET /v3/wallets/:address/combos/summary', () => {
  test('200: sums are those over the positions', async () => {
    for (const address of holders.slice(0, 30)) {
      const rows = await positionsOf(address)
      const { summary, ...envelope } = await ask(`/v3/wallets/${address}/combos/summary`)
      expect(envelope).toMatchObject({ address, rows_returned: 1, position_type: 'combo' })
      const isHeld = (row: Row) => toMillionths(row.shares_balance) > 0n
      const open = rows.filter((row) => isHeld(row) && !String(row.status).startsWith('RESOLVED'))
      expect(summary).toMatchObject({
        open_combo_count: open.length,
        closed_combo_count: rows.length - open.length,
        balance_count: rows.filter(isHeld).length,
        last_activity_at: rows[0]?.last_activity_at,
      })
      expect(toMillionths(summary.realized_pnl_usdc)).toBe(sumOf(rows, 'realized_pnl_usdc'))
      expect(toMillionths(summary.total_pnl_usdc)).toBe(sumOf(rows, 'total_pnl_usdc'))
    }
  })

  test('200: a wallet without combos has zeros', async () => {
    expect(await ask(`/v3/wallets/0x${'12'.repeat(20)}/combos/summary`)).toMatchObject({
      rows_returned: 0,
      summary: { open_combo_count: 0, total_pnl_usdc: '0.000000', last_activity_at: null },
    })
  })
})

describe('GET /v3/wallets/:address/combos/trades', () => {
  test('200: `side` is what the owner of the order does', async () => {
    const path = `/v3/wallets/${world.busiest.trader}/combos/trades`
    const { trades } = await ask(path)
    for (const side of ['BUY', 'sell']) {
      const wanted = trades.filter((row: Row) => row.side === side.toUpperCase())
      expect((await ask(path, { side })).trades).toEqual(wanted)
    }
    const [{ position_id: position }] = trades
    const ofPosition = trades.filter((row: Row) => row.position_id === position)
    expect((await ask(path, { position_id: position })).trades).toEqual(ofPosition)
  })
})

describe('GET /v3/combos/activity', () => {
  test('200: names of logs are those of the platform, and each can be requested', async () => {
    const { condition, actor } = world.busiest
    const { activity } = await ask('/v3/combos/activity', { condition_id: condition })
    const kinds = new Map(activity.map((row: Row) => [row.event_kind, row.side]))
    expect(Object.fromEntries(kinds)).toMatchObject({
      PositionRedeemed: 'Redeem',
      PositionsSplit: 'Split',
      Wrapped: 'Wrap',
      Compressed: 'Compress',
    })
    expect(kinds.has('PositionMigrated')).toBe(false)
    for (const kind of kinds.keys()) {
      const query = { condition_id: condition, event_kind: kind }
      const wanted = activity.filter((row: Row) => row.event_kind === kind)
      expect((await ask('/v3/combos/activity', query)).activity).toEqual(wanted)
    }
    const query = { condition_id: condition, wallet: actor }
    const wanted = activity.filter((row: Row) => row.wallet_address === actor)
    expect((await ask('/v3/combos/activity', query)).activity).toEqual(wanted)
  })

  test('400: no combo is named', async () => {
    const reply = await world.get('/v3/combos/activity')
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain('condition_id')
  })
})

describe('GET /v3/combos/markets', () => {
  const listMarkets = async (query: object = {}): Promise<Row[]> =>
    (await ask('/v3/combos/markets', query)).markets

  test('200: counts are those of the facts', async () => {
    const [facts] = await world.ctx.sql<Row[]>`
      select (select count(*) from combos)::int as combos,
             (select count(*) from fills where flags & 130 = 130)::int as executions,
             (select sum(usd) from fills where flags & 130 = 130)::bigint as volume,
             (select count(*) from combo_events e join combos c on c.condition = e.condition
               where kind <> 'positionMigrated')::int as lifecycle,
             (select count(*) from combo_events e join combos c on c.condition = e.condition
               where kind = 'positionRedeemed')::int as redeems`
    const rows = await listMarkets()
    const total = (field: string) => rows.reduce((sum, row) => sum + Number(row[field]), 0)
    expect({
      combos: rows.length,
      executions: total('observed_execution_count'),
      volume: sumOf(rows, 'volume_usdc'),
      lifecycle: total('observed_lifecycle_count'),
      redeems: total('observed_redeem_count'),
    }).toEqual(facts)
  })

  test('200: counts follow blocks that come and that are reverted', async () => {
    const { sql } = world.ctx
    const before = await listMarkets()
    const [floor] = await sql<{ block: number }[]>`select block from undo_floor`
    const [middle] = await sql<{ block: number }[]>`
      select (min(seq) + max(seq)) / 2 >> 20 as block from combo_events`

    // Rebuilt, with half of the history that may be reverted.
    await sql`update undo_floor set block = ${middle?.block ?? 0}`
    await sql`update combo_state set epoch = -1`
    await refresh()
    expect(await listMarkets()).toEqual(before)

    const removed = await sql<{ seq: bigint }[]>`
      delete from combo_events where seq = (
        select max(seq) from combo_events where kind = 'positionRedeemed') returning *`
    await refresh()
    const fewer = await listMarkets()
    const redeems = (rows: Row[]) => rows.reduce((sum, row) => sum + Number(row.observed_redeem_count), 0)
    expect(redeems(fewer)).toBe(redeems(before) - 1)

    await sql`insert into combo_events ${sql(removed)}`
    await sql`update undo_floor set block = ${floor?.block ?? 0}`
    await refresh()
    expect(await listMarkets()).toEqual(before)
  })

  test('200: cursor pagination lists a combo once that becomes active meanwhile', async () => {
    const { sql } = world.ctx
    const whole = (await listMarkets()).map((row) => row.combo_condition_id)
    const first = await ask('/v3/combos/markets', { limit: 5 })
    const last = whole.at(-1)
    const [head] = await sql<{ block: number }[]>`select block from chain_state`
    const block = (head?.block ?? 0) + 1
    await sql`insert into blocks values (${block}, ${Math.floor(world.clock.now() / 1000)}, '\\x00')`
    await sql`update chain_state set block = ${block}`
    await sql`
      insert into combo_events (seq, amount, wallet, contract, condition, kind, tokens, tx_hash)
      select ${block * LOGS_PER_BLOCK}, 1, 1, 0, id, 'positionsMerged', '{}', '\\x00'
        from conditions where '0x' || left(encode(condition, 'hex'), 62) = ${String(last)}`
    await refresh()
    expect((await listMarkets())[0]).toMatchObject({ combo_condition_id: last })

    const paged: unknown[] = first.markets.map((row: Row) => row.combo_condition_id)
    for (let cursor = first.next_cursor; cursor !== null; ) {
      const page = await ask('/v3/combos/markets', { limit: 50, cursor })
      paged.push(...page.markets.map((row: Row) => row.combo_condition_id))
      cursor = page.next_cursor
    }
    expect(paged).toEqual(whole)
    await sql`delete from combo_events where seq >> 20 = ${block}`
    await sql`delete from blocks where number = ${block}`
    await sql`update chain_state set block = ${block - 1}`
    await refresh()
  })
})

describe('GET /v3/combos/leaderboard', () => {
  const board = (query: object = {}) => ask('/v3/combos/leaderboard', { limit: 100, ...query })

  test('200: of all time the ranks are those of the summaries', async () => {
    for (const sort of ['total_pnl', 'realized_pnl', 'unrealized_pnl']) {
      const { data, ...envelope } = await board({ sort_by: sort })
      expect(envelope).toMatchObject({
        period: 'all',
        window: { after: null, before: null },
        pnl_scope: 'all_time_marked',
        source: 'combo_state.combo_cost_basis_event',
        coverage: { status: 'direct_cost_basis_only', eligible_wallet_count: holders.length },
      })
      const values: bigint[] = data.map((row: Row) => toMillionths(row[sort]))
      expect(values).toEqual([...values].sort((a, b) => (a > b ? -1 : a < b ? 1 : 0)))
      for (const row of data.slice(0, 5)) {
        const { summary } = await ask(`/v3/wallets/${row.wallet_address}/combos/summary`)
        expect(row).toMatchObject({
          realized_pnl: summary.realized_pnl_usdc,
          unrealized_pnl: summary.unrealized_pnl_usdc,
          total_pnl: summary.total_pnl_usdc,
          open_combo_count: summary.open_combo_count,
        })
      }
    }
  })

  test('200: periods have what was closed in them', async () => {
    const [sums] = await world.ctx.sql<{ realized: bigint; middle: number }[]>`
      select sum(amount)::bigint as realized,
             (select time from blocks where number >= (min(seq) + max(seq)) / 2 >> 20
               order by number limit 1) as middle
        from combo_pnl`
    const { data, ...envelope } = await board({ period: '1d' })
    expect(envelope).toMatchObject({ pnl_scope: 'realized_only', period: '1d' })
    expect(data[0]).toMatchObject({ unrealized_pnl: null, total_pnl: null, rank: 1 })
    expect(sumOf(data, 'realized_pnl')).toBe(sums?.realized)
    const middle = sums?.middle ?? 0
    const early = await board({ period: 'custom', before: middle })
    const late = await board({ period: 'custom', after: middle + 1 })
    expect(early.window).toEqual({ after: null, before: middle })
    expect(early.data.length).toBeGreaterThan(0)
    expect(late.data.length).toBeGreaterThan(0)
    expect(sumOf([...early.data, ...late.data], 'realized_pnl')).toBe(sums?.realized)
  })

  test.each([
    ['custom without bounds', { period: 'custom' }, 'period'],
    ['bounds without custom', { after: 5 }, 'after'],
    ['an order that periods do not have', { period: '7d', sort_by: 'unrealized_pnl' }, 'sort_by'],
  ])('400: %s', async (_why, query, named) => {
    const reply = await world.get('/v3/combos/leaderboard', query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(`Invalid ${named}`)
  })
})
