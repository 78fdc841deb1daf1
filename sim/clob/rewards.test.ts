import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isoDate } from '../markets/amounts.js'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import { isV1 } from '../universe/acts.js'
import type { SettledMatch } from '../universe/settled-acts.js'
import { Universe } from '../universe/universe.js'
import { createClobHost } from './host.js'

const START_MS = Date.UTC(2026, 10, 12)
const DATE = '2026-11-12'

type Row = Record<string, unknown> & {
  condition_id: string
  total_daily_rate: number
  native_daily_rate: number
  rewards_config: { rate_per_day: number }[]
}
type Page = { data: Row[]; next_cursor: string; count: number }
type Rebate = { condition_id: string; rebated_fees_usdc: string }

let host: Host
const universe = new Universe({ seed: 7, startMs: START_MS })

beforeAll(async () => {
  universe.advance(START_MS + 30 * 60_000)
  host = await openHost('clob', new Faults(), createClobHost(universe))
})
afterAll(() => host.close())

async function get<Body>(path: string): Promise<{ status: number; body: Body }> {
  const reply = await fetch(`${host.url}${path}`)
  return { status: reply.status, body: (await reply.json()) as Body }
}

async function readAllPages(query: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor = 'MA=='; cursor !== 'LTE='; ) {
    const { body } = await get<Page>(`/rewards/markets/current?next_cursor=${cursor}${query}`)
    expect(body.count).toBe(body.data.length)
    rows.push(...body.data)
    cursor = body.next_cursor
  }
  return rows
}

describe('/rewards/markets', () => {
  test('current: every market that pays now, sponsors in the rate only when asked', async () => {
    const native = await readAllPages('')
    const sponsored = await readAllPages('&sponsored=true')
    expect(sponsored.map((row) => row.condition_id)).toEqual(native.map((row) => row.condition_id))
    expect(new Set(native.map((row) => row.condition_id)).size).toBe(native.length)
    for (const row of native) {
      expect(row.rewards_config[0]?.rate_per_day).toBe(row.native_daily_rate)
      expect(row).not.toHaveProperty('sponsors_count')
    }
    for (const row of sponsored) expect(row.rewards_config[0]?.rate_per_day).toBe(row.total_daily_rate)
    const raised = sponsored.filter((row) => row.total_daily_rate > row.native_daily_rate)
    expect(raised.length).toBeGreaterThan(0)
    expect(raised.length).toBeLessThan(sponsored.length)
  })

  test('one by its condition, with its tokens; none of a market that pays nothing', async () => {
    const [row] = await readAllPages('')
    const { body } = await get<Page>(`/rewards/markets/${row?.condition_id}`)
    expect(body).toMatchObject({
      count: 1,
      next_cursor: 'LTE=',
      data: [{ condition_id: row?.condition_id, rewards_config: row?.rewards_config }],
    })
    expect(body.data[0]?.tokens).toMatchObject([{ outcome: 'Yes' }, { outcome: 'No' }])
    const window = universe.catalogue.marketBySlug(`btc-updown-5m-${START_MS / 1000}`)
    const { body: none } = await get<Page>(`/rewards/markets/${window?.conditionId}`)
    expect(none).toMatchObject({ data: [], next_cursor: 'LTE=' })
  })

  describe('multi', () => {
    const search = async (query: string) => {
      const found: Row[] = []
      for (let cursor = ''; cursor !== 'LTE='; ) {
        const { body } = await get<Page>(`/rewards/markets/multi?next_cursor=${cursor}&${query}`)
        expect(body.data.length).toBeLessThanOrEqual(100)
        found.push(...body.data)
        cursor = body.next_cursor
      }
      return found
    }

    test('the same markets with what is known of each, on pages of any size', async () => {
      const rows = await search('page_size=7')
      const native = await readAllPages('')
      const conditions = (some: Row[]) => some.map((row) => row.condition_id).sort()
      expect(conditions(rows)).toEqual(conditions(native))
      const { rewards_config, rewards_max_spread } = rows[0] ?? expect.fail('no rows')
      const same = native.find((row) => row.condition_id === rows[0]?.condition_id)
      expect(same).toMatchObject({ rewards_config, rewards_max_spread })
      for (const row of rows)
        expect(row).toMatchObject({
          market_id: expect.any(String),
          event_id: expect.any(String),
          market_slug: expect.any(String),
          event_slug: expect.any(String),
          question: expect.any(String),
          image: expect.any(String),
          group_item_title: expect.any(String),
          created_at: expect.any(String),
          market_competitiveness: expect.any(Number),
          rewards_min_size: expect.any(Number),
          spread: expect.any(Number),
          volume_24hr: expect.any(Number),
          one_day_price_change: expect.any(Number),
          tokens: expect.any(Array),
        })
    })

    test.each([
      ['market_id', ({ market_id }: Row) => Number(market_id)],
      ['volume_24hr', ({ volume_24hr }: Row) => Number(volume_24hr)],
      ['rate_per_day', ({ rewards_config }: Row) => rewards_config[0]?.rate_per_day ?? 0],
      ['spread', ({ spread }: Row) => Number(spread)],
    ])('sorted by %s either way', async (name, of) => {
      const ascending = (await search(`order_by=${name}&position=ASC`)).map(of)
      const descending = (await search(`order_by=${name}&position=DESC`)).map(of)
      expect(ascending).toEqual(ascending.toSorted((a, b) => a - b))
      expect(descending).toEqual(descending.toSorted((a, b) => b - a))
    })

    test('found by event, tag, words and ranges', async () => {
      const rows = await search('')
      const { event_id, question } = rows.at(-1) ?? expect.fail('no rows')
      const ofEvent = rows.filter((row) => row.event_id === event_id)
      expect(await search(`event_id=${event_id}`)).toEqual(ofEvent)
      expect(await search(`event_id=${event_id}&event_id=0`)).toEqual(ofEvent)
      const asked = encodeURIComponent(String(question).toUpperCase())
      expect(await search(`q=${asked}`)).toEqual(rows.filter((row) => row.question === question))
      const cheap = rows.filter((row) => Number(row.spread) <= 0.02)
      expect(await search('max_spread=0.02')).toEqual(cheap)
      expect((await search('tag_slug=politics')).length).toBeGreaterThan(0)
      expect(await search('tag_slug=none')).toEqual([])
    })
  })

  test.each([
    ['a page that is too large', '/rewards/markets/multi?page_size=501', 400],
    ['an order that is none', '/rewards/markets/multi?order_by=luck', 400],
    ['a builder that is none', '/builder/trades?builder_code=0x12', 400],
    ['no builder', '/builder/trades', 400],
    ['an id that is none', '/rewards/markets/0x12', 400],
    ['an unknown condition', `/rewards/markets/0x${'1'.repeat(64)}`, 404],
    ['a cursor that is none', '/rewards/markets/current?next_cursor=abc', 400],
  ])('%s', async (_what, path, status) => {
    expect(await get(path)).toEqual({ status, body: { error: expect.any(String) } })
  })
})

describe('/rebates/current', () => {
  const rebates = (owner: string, date = DATE) =>
    get<Rebate[] | null>(`/rebates/current?date=${date}&maker_address=${owner}`)
  const feePaid = ({ tx }: SettledMatch) => {
    const { fee, refund, usd, shares, order } = tx.act.taker
    // Buyers on the first exchange pay in shares.
    const worth = isV1(tx.act.exchange) && order.side === 'BUY' ? usd / shares : 1
    return (fee - refund) * worth
  }

  // The first day is of the first exchanges.
  test.each(['2026-04-20', DATE])('the makers of %s got a fifth of the fees', async (date) => {
    const matches = universe.settledActs.matches.filter(
      ({ tx, block }) => tx.act.of.kind === 'market' && isoDate(block.timestampSec * 1000) === date,
    )
    const owners = new Set(matches.flatMap(({ tx }) => tx.act.makers.map(({ order }) => order.wallet.owner)))
    let rebated = 0
    for (const owner of owners) {
      for (const row of (await rebates(owner, date)).body ?? []) {
        expect(row).toMatchObject({ date, maker_address: owner })
        rebated += Number(row.rebated_fees_usdc) * 1e6
      }
    }
    const fees = matches.reduce((sum, match) => sum + feePaid(match), 0)
    expect(rebated).toBeGreaterThan(0)
    // Every match rounds down to a millionth for each of its makers.
    expect(Math.abs(rebated - fees / 5)).toBeLessThan(matches.length * 10)
  })

  test('null on another day, and for a key without trades', async () => {
    const maker = universe.settledActs.matches[0]?.tx.act.makers[0]?.order.wallet
    expect(await rebates(maker?.owner ?? '', '2020-01-01')).toEqual({ status: 200, body: null })
    expect(await rebates(`0x${'9'.repeat(40)}`)).toEqual({ status: 200, body: null })
  })

  test('refuses wallets: it knows the keys that sign for them', async () => {
    const wallet = universe.wallets.find(({ kind }) => kind === 'safe')
    expect(await rebates(wallet?.address ?? '')).toMatchObject({ status: 400 })
    expect(await rebates('0x12')).toMatchObject({ status: 400 })
    expect(await rebates(wallet?.owner ?? '', '2026-02-30')).toMatchObject({ status: 400 })
  })
})
