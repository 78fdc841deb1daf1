import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from './api-world.js'

let world: ApiWorld
type Row = Record<string, unknown> & { condition_id: string; token_ids: string[]; slug: string }
let open: Row
let resolved: Row
beforeAll(async () => {
  world = await openApiWorld()
  const search = { tag_slug: 'bitcoin', limit: 300 }
  open = (await list('/v3/markets', { ...search, closed: false }))[0] as Row
  const closed = (await list('/v3/markets', { ...search, closed: true })) as Row[]
  resolved = closed.find((row) => row.winning_outcome_index !== null) as Row
})
afterAll(() => world.close())

const list = async (path: string, query: object = {}): Promise<object[]> => {
  const reply = await world.get(path, query as Record<string, unknown>)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json().data
}
const UNKNOWN = `0x${'1'.repeat(64)}`

describe('the catalogue through the door', () => {
  test('200: a market has the fields and formats of the reference', () => {
    expect(open).toMatchObject({
      condition_id: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      category: 'Crypto',
      tag_slugs: expect.arrayContaining(['Crypto', 'Bitcoin']),
      volume_all_time: expect.stringMatching(/^\d+(\.\d+)?$/),
      liquidity: expect.stringMatching(/^\d+(\.\d+)?$/),
      end_date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00$/),
      winning_outcome_index: null,
    })
    expect(open.token_outcomes).toEqual(open.outcomes)
  })

  test('200: the same market by condition, as one row with the page of one', async () => {
    const { created_at: _, ...row } = open
    const reply = await world.get(`/v3/markets/condition/${open.condition_id}`)
    expect(reply.json()).toEqual({
      data: [row],
      rows_returned: 1,
      has_more: false,
      offset: 0,
      limit: 1,
      elapsed_ms: expect.any(Number),
    })
    expect(await list(`/v3/markets/condition/${UNKNOWN}`)).toEqual([])
  })

  test('200: a resolved token is worth 0 or 1, and says since when', async () => {
    const prices = await Promise.all(
      resolved.token_ids.map(async (id) => (await world.get(`/v3/markets/${id}/price`)).json()),
    )
    expect(prices.map(({ price }) => price).sort()).toEqual([0, 1])
    expect(prices[Number(resolved.winning_outcome_index)].price).toBe(1)
    for (const [index, price] of prices.entries()) {
      expect(price).toEqual({
        token_id: resolved.token_ids[index],
        price: expect.any(Number),
        resolved: true,
        source: 'settlement',
        updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/),
        elapsed_ms: expect.any(Number),
      })
    }
  })

  test('200: a token has its price and its market', async () => {
    const [id] = resolved.token_ids
    const price = (await world.get(`/v3/markets/${id}/price`)).json()
    const { elapsed_ms: _, ...fields } = price
    expect(await list(`/v3/tokens/${id}`)).toEqual([
      {
        ...fields,
        condition_id: resolved.condition_id,
        outcome: (resolved.outcomes as string[])[0],
        outcome_index: 0,
        question: resolved.question,
        slug: resolved.slug,
        category: resolved.category,
        tag_slugs: resolved.tag_slugs,
      },
    ])
  })

  test('200: a token that only the catalogue has is worth 0 so far', async () => {
    const { sql } = world.ctx
    const [row] = await sql<{ token: string }[]>`
      select '0x' || encode(token, 'hex') as token from market_tokens mt
       where not exists (select from tokens t where t.token = mt.token) limit 1`
    const id = BigInt(row?.token ?? 0).toString()
    expect((await world.get(`/v3/markets/${id}/price`)).json()).toMatchObject({
      price: 0,
      resolved: false,
      source: null,
      updated_at: null,
    })
  })

  test('200: a condition before and after its result', async () => {
    const before = (await world.get(`/v3/conditions/${open.condition_id}`)).json()
    expect(before).toMatchObject({
      id: open.condition_id,
      position_ids: open.token_ids,
      payout_numerators: [0, 0],
      payout_denominator: '0',
      winning_outcome_index: null,
      tags: open.tag_slugs,
      volume: open.volume_all_time,
      liquidity: open.liquidity,
      question: open.question,
    })
    const after = (await world.get(`/v3/conditions/${resolved.condition_id}`)).json()
    const winner = Number(resolved.winning_outcome_index)
    expect(after).toMatchObject({
      payout_numerators: winner === 0 ? [1, 0] : [0, 1],
      payout_denominator: '1',
      winning_outcome_index: winner,
    })
    expect(Object.keys(after)).toEqual(Object.keys(before))
  })

  test('200: a condition that the catalogue lacks keeps every key', async () => {
    const rows = (await list('/v3/resolutions', { limit: 300 })) as Row[]
    const unlisted = rows.find(({ question }) => question === null) as Row
    const reply = (await world.get(`/v3/conditions/${unlisted.condition_id}`)).json()
    expect(reply).toMatchObject({ question: null, outcomes: null, tags: null, closed: null })
    expect(reply.payout_numerators).toEqual(unlisted.payout_numerators)
    expect(reply.payout_denominator).toBe(String(unlisted.payout_denominator))
  })

  test('200: results are those of the chain, newest first, with times in milliseconds', async () => {
    const rows = (await list('/v3/resolutions', { limit: 300 })) as Row[]
    const [{ count } = { count: 0n }] = await world.ctx.sql<{ count: bigint }[]>`
      select count(*) from resolutions`
    expect(rows.length).toBe(Number(count))
    const times = rows.map((row) => Number(row.resolved_at))
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    const one = await list('/v3/resolutions', { condition_id: resolved.condition_id })
    expect(one).toEqual([
      {
        condition_id: resolved.condition_id,
        payout_numerators: resolved.winning_outcome_index === 0 ? [1, 0] : [0, 1],
        payout_denominator: 1,
        resolved_at: expect.stringMatching(/^\d{13}$/),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/),
        question: resolved.question,
        slug: resolved.slug,
        outcomes: resolved.outcomes,
        category: 'Crypto',
      },
    ])
    const seconds = Math.floor(Number(rows[9]?.resolved_at) / 1000)
    const since = (await list('/v3/resolutions', { after: seconds, limit: 300 })) as Row[]
    expect(since).toEqual(rows.filter((row) => Number(row.resolved_at) >= seconds * 1000))
  })

  test('200: the count of a tag is the number of its markets, and a category is the first tag', async () => {
    const { tags } = (await world.get('/v3/tags', { limit: 300 })).json()
    const weather = tags.find(({ tag }: { tag: string }) => tag === 'Weather')
    const rows = (await list('/v3/tags/wEATHER', { limit: 300 })) as Row[]
    expect(rows.length).toBe(weather.market_count)
    expect(rows.every((row) => !('tag_slugs' in row))).toBe(true)
    const category = (await list('/v3/markets', { category: 'weather', limit: 300 })) as Row[]
    const first = rows.filter((row) => row.category === 'Weather')
    expect(category.map(({ slug }) => slug)).toEqual(first.map(({ slug }) => slug))
  })

  test('200: an event has the conditions of its markets', async () => {
    const query = { sort: 'market_count', tag_slug: 'multi-strikes', limit: 1 }
    const [event] = (await list('/v3/events', query)) as Row[]
    const markets = await list('/v3/markets', { event_slug: event?.event_slug, limit: 300 })
    expect(event?.market_count).toBe(markets.length)
    expect(event?.condition_ids).toEqual(
      expect.arrayContaining(markets.map((market) => (market as Row).condition_id)),
    )
  })

  test.each([
    [{ category: 'no such thing' }],
    [{ tag_slug: '%' }],
    [{ event_slug: 'no-such-event' }],
    [{ active: false, tag_slug: 'weather' }],
  ])('200: nothing where no market matches %j', async (query) => {
    expect(await list('/v3/markets', query)).toEqual([])
  })

  test.each([
    ['/v3/tokens/123', { error: 'Not found.' }],
    ['/v3/markets/123/price', { error: 'Not found.' }],
    [`/v3/markets/${'9'.repeat(78)}/price`, { error: 'Not found.' }],
    [`/v3/conditions/${UNKNOWN}`, { error: 'Not found.' }],
    ['/v3/tags/No-Such', { error: 'tag not found', tag: 'No-Such' }],
  ])('404: %s', async (path, body) => {
    const reply = await world.get(path)
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toEqual(body)
  })

  test.each([
    ['/v3/tokens/0x12', 'token_id'],
    [`/v3/tokens/${'1'.repeat(79)}`, 'token_id'],
    ['/v3/conditions/0x12', 'condition_id'],
    ['/v3/markets/condition/12', 'condition_id'],
  ])('400: %s names the parameter', async (path, name) => {
    const reply = await world.get(path)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(name)
  })
})
