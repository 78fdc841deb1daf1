import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Universe } from '../universe/universe.js'
import { busiest, openTestWorld, type Row, rowAt, type TestWorld } from './test-world.js'

let world: TestWorld
let universe: Universe
let get: TestWorld['get']

beforeEach(async () => {
  world = await openTestWorld(1, 1)
  universe = world.universe
  get = world.get
})
afterEach(() => world.host.close())

const live = (ms: number) => universe.advance(universe.nowMs + ms)

test('the same address is answered from a cache for a while, another one is not', async () => {
  const before = await get('/trades?limit=5')
  live(200_000)
  expect(await get('/trades?limit=5')).toEqual(before)
  const fresh = await get('/trades?limit=5&_=1')
  expect(fresh).not.toEqual(before)
  const reply = await fetch(`${world.host.url}/trades?limit=5`)
  expect(reply.headers.get('cache-control')).toBe('public, max-age=300')
  expect(reply.headers.get('age')).toBe('200')
  live(100_000)
  const after = await get('/trades?limit=5')
  expect(rowAt(after, 0).timestamp).toBeGreaterThan(rowAt(before, 0).timestamp)
})

test('paging through a feed is not disturbed by what happens meanwhile', async () => {
  type Page = { data: Row[]; pagination: { next_cursor: string } }
  const whole: Page = await get('/v2/trades?limit=40&taker_only=false')
  const first: Page = await get('/v2/trades?limit=20&taker_only=false')
  live(600_000)
  const path = `/v2/trades?taker_only=false&cursor=${first.pagination.next_cursor}`
  const second: Page = await get(path)
  expect([...first.data, ...second.data]).toEqual(whole.data)
})

test('boards are kept for a minute', async () => {
  const before = await get('/v1/leaderboard?timePeriod=ALL')
  live(1_000)
  expect(await get('/v1/leaderboard?timePeriod=ALL')).toEqual(before)
  live(600_000)
  expect(await get('/v1/leaderboard?timePeriod=ALL')).not.toEqual(before)
})

test('a board of the day measures from yesterday on', async () => {
  const [first] = await get('/v1/leaderboard?timePeriod=DAY&orderBy=VOL')
  live(25 * 3_600_000)
  const day = await get(`/v1/leaderboard?timePeriod=DAY&user=${first?.proxyWallet}`)
  const all = await get(`/v1/leaderboard?timePeriod=ALL&user=${first?.proxyWallet}`)
  expect(rowAt(day, 0).vol).toBeLessThan(rowAt(all, 0).vol)
})

test('positions forget what a reorganisation takes back', async () => {
  const wallet = busiest(universe, 'match')
  const path = `/positions?user=${wallet.address}&sizeThreshold=0&limit=500`
  await get(path)
  universe.reorg(30)
  const rows = await get(`${path}&_=1`)
  for (const { asset, size, totalBought } of rows) {
    const token = universe.catalogue.token(asset)
    if (token === undefined) throw new Error('not a token')
    expect(size * 1e6).toBeCloseTo(universe.settledActs.balance(wallet, token), 3)
    expect(totalBought).toBeGreaterThanOrEqual(0)
  }
  const hashes = (await get(`/activity?user=${wallet.address}`)).map((row) => row.transactionHash)
  expect(hashes.every((hash) => universe.chain.find(hash)?.block !== undefined)).toBe(true)
})
