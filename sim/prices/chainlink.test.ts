import { createHash, createHmac } from 'node:crypto'
import { decodeAbiParameters, parseAbiParameters } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import { Universe } from '../universe/universe.js'
import { createChainlinkHost } from './chainlink.js'
import type { Report } from './chainlink-report.js'
import { dial } from './test-socket.js'

const START_MS = Date.UTC(2026, 10, 12)
const SEC = START_MS / 1000
const REAL_MS = Date.UTC(2030, 0, 1)
const KEY = { apiKey: '5f1c1c3e-0000-4000-8000-000000000001', secret: 'top secret' }
const BTC = '0x00039d9e45394f473ab1f050a1b963e6b05351e52d71e507509ada0c95ed75b8'
const BTC_TWAP_60 = '0x0002ee6757e8822c00d273bc340fc24c9cafe123a4ff2ea1dbdb31944bc7d95f'

const FULL_REPORT = parseAbiParameters(
  'bytes32[3] reportContext, bytes reportBlob, bytes32[] rawRs, bytes32[] rawSs, bytes32 rawVs',
)
const HEAD =
  'bytes32 feedId, uint32 validFrom, uint32 observedAt, uint192 nativeFee, uint192 linkFee, uint32 expiresAt'
const V3 = parseAbiParameters(`${HEAD}, int192 price, int192 bid, int192 ask`)
const V2 = parseAbiParameters(`${HEAD}, int192 price`)

let universe: Universe
let host: Host

beforeEach(async () => {
  universe = new Universe({ seed: 3, startMs: START_MS })
  universe.advance(START_MS + 500)
  const parts = createChainlinkHost(universe, KEY, { now: () => REAL_MS })
  host = await openHost('chainlink', new Faults(), parts)
})
afterEach(() => host.close())

function sign(path: string, change: { method?: string; atMs?: number; secret?: string } = {}) {
  const { method = 'GET', atMs = REAL_MS, secret = KEY.secret } = change
  const empty = createHash('sha256').update('').digest('hex')
  const text = `${method} ${path} ${empty} ${KEY.apiKey} ${atMs}`
  return {
    Authorization: KEY.apiKey,
    'X-Authorization-Timestamp': String(atMs),
    'X-Authorization-Signature-SHA256': createHmac('sha256', secret).update(text).digest('hex'),
  }
}

type Answer = {
  feeds: { feedID: string; asset: string }[]
  report: Report
  reports: Report[]
}

const get = async (path: string, headers: Record<string, string> = sign(path)) => {
  const reply = await fetch(`${host.url}${path}`, { headers })
  return { status: reply.status, body: (await reply.json()) as Answer }
}

const blobOf = ({ fullReport }: Report) => decodeAbiParameters(FULL_REPORT, fullReport as `0x${string}`)[1]

const e18 = (priceE8: number) => BigInt(priceE8) * 10n ** 10n

test('feeds have the known ids, and every coin has one', async () => {
  const { body } = await get('/api/v1/feeds')
  expect(body.feeds).toHaveLength(9)
  expect(body.feeds[0]).toEqual({
    feedID: BTC,
    name: 'BTC/USD',
    decimals: 18,
    asset: 'BTC',
    quoteAsset: 'USD',
  })
  const spot = body.feeds.filter(({ feedID }) => feedID.startsWith('0x0003'))
  expect(spot.map(({ asset }) => asset).sort()).toEqual(
    ['BNB', 'BTC', 'DOGE', 'ETH', 'HYPE', 'SOL', 'XRP'].sort(),
  )
  for (const { feedID } of body.feeds) expect(feedID).toMatch(/^0x[0-9a-f]{64}$/)
})

test('a spot report decodes to the price, bid and ask of its second', async () => {
  const { body } = await get(`/api/v1/reports/latest?feedID=${BTC}`)
  const { report } = body
  expect(report).toMatchObject({ feedID: BTC, validFromTimestamp: SEC, observationsTimestamp: SEC })
  const [context, , rs, ss, vs] = decodeAbiParameters(FULL_REPORT, report.fullReport as `0x${string}`)
  expect([context.length, rs.length, ss.length, vs.length]).toEqual([3, 6, 6, 66])
  const { priceE8, bidE8, askE8 } = universe.prices.spot('btc', SEC)
  const [feedId, validFrom, observedAt, , , expiresAt, ...prices] = decodeAbiParameters(V3, blobOf(report))
  expect([feedId, validFrom, observedAt]).toEqual([BTC, SEC, SEC])
  expect(expiresAt).toBeGreaterThan(SEC)
  expect(prices).toEqual([e18(priceE8), e18(bidE8), e18(askE8)])
})

test('a report of a mean has the price alone', async () => {
  const path = `/api/v1/reports?feedID=${BTC_TWAP_60}&timestamp=${SEC - 100}`
  const { body } = await get(path)
  const decoded = decodeAbiParameters(V2, blobOf(body.report))
  expect(decoded.at(-1)).toBe(e18(universe.prices.twapE8('btc', SEC - 100, 60)))
})

test('bulk and pages', async () => {
  const { body: feeds } = await get('/api/v1/feeds')
  const ids = feeds.feeds.map(({ feedID }) => feedID)
  const bulk = await get(`/api/v1/reports/bulk?feedIDs=${ids.join(',')}&timestamp=${SEC}`)
  expect(bulk.body.reports.map(({ feedID }) => feedID).sort()).toEqual(ids.toSorted())

  const page = await get(`/api/v1/reports/page?feedID=${BTC}&startTimestamp=${SEC - 500}&limit=3`)
  expect(page.body.reports.map((report) => report.observationsTimestamp)).toEqual([
    SEC - 500,
    SEC - 499,
    SEC - 498,
  ])
  const last = await get(`/api/v1/reports/page?feedID=${BTC}&startTimestamp=${SEC - 1}`)
  expect(last.body.reports).toHaveLength(2)
  const most = await get(`/api/v1/reports/page?feedID=${BTC}&startTimestamp=${SEC - 500}`)
  expect(most.body.reports).toHaveLength(100)
})

test('a page from before the oldest report begins with it, and there is no single one before', async () => {
  const firstSec = SEC - 300
  const parts = createChainlinkHost(universe, KEY, { now: () => REAL_MS, firstSec })
  const young = await openHost('chainlink', new Faults(), parts)
  const ask = async (path: string) => {
    const reply = await fetch(`${young.url}${path}`, { headers: sign(path) })
    return { status: reply.status, body: (await reply.json()) as Answer }
  }
  const page = await ask(`/api/v1/reports/page?feedID=${BTC}&startTimestamp=${SEC - 5_000}&limit=2`)
  expect(page.body.reports.map((report) => report.observationsTimestamp)).toEqual([firstSec, firstSec + 1])
  expect((await ask(`/api/v1/reports?feedID=${BTC}&timestamp=${firstSec}`)).status).toBe(200)
  expect((await ask(`/api/v1/reports?feedID=${BTC}&timestamp=${firstSec - 1}`)).status).toBe(400)
  await young.close()
})

test('the root names its origins', async () => {
  const init = { method: 'HEAD', headers: sign('/', { method: 'HEAD' }) }
  const reply = await fetch(`${host.url}/`, init)
  expect(reply.headers.get('x-cll-available-origins')).toBe('{001,002}')
})

describe('errors', () => {
  const feeds = '/api/v1/feeds'

  test('400: no headers', async () => {
    expect((await get(feeds, {})).status).toBe(400)
  })

  test.each([
    ['another secret', sign(feeds, { secret: 'guess' })],
    ['another path', sign('/api/v1/reports')],
    ['an old clock', sign(feeds, { atMs: REAL_MS - 5_001 })],
    ['a clock ahead', sign(feeds, { atMs: REAL_MS + 5_001 })],
    ['an unknown key', { ...sign(feeds), Authorization: 'nobody' }],
  ])('401: signed with %s', async (_what, headers) => {
    expect((await get(feeds, headers)).status).toBe(401)
  })

  test('200: five seconds of difference are fine', async () => {
    expect((await get(feeds, sign(feeds, { atMs: REAL_MS - 5_000 }))).status).toBe(200)
  })

  test.each([
    '/api/v1/reports/latest',
    '/api/v1/reports/latest?feedID=0x0003',
    `/api/v1/reports?feedID=${BTC}&timestamp=${SEC + 1}`,
    `/api/v1/reports?feedID=${BTC}&timestamp=soon`,
    `/api/v1/reports/bulk?feedIDs=${BTC},0x00&timestamp=${SEC}`,
    `/api/v1/reports/page?feedID=${BTC}&startTimestamp=${SEC - 5}&limit=0`,
  ])('400: %s', async (path) => {
    const { status, body } = await get(path)
    expect(status).toBe(400)
    expect(body).toEqual({ error: expect.any(String) })
  })
})

describe('socket', () => {
  const path = `/api/v1/ws?feedIDs=${BTC},${BTC_TWAP_60}`

  test('one report per second and feed', async () => {
    const socket = await dial(`${host.wsUrl}${path}`, { ...sign(path), 'X-Cll-Origin': '002' })
    universe.advance(START_MS + 2000)
    await socket.until(4)
    const reports: Report[] = socket.frames.map((text) => JSON.parse(text).report)
    expect(reports.map(({ observationsTimestamp }) => observationsTimestamp)).toEqual([
      SEC + 1,
      SEC + 1,
      SEC + 2,
      SEC + 2,
    ])
    const [first] = reports
    const price = first === undefined ? undefined : decodeAbiParameters(V3, blobOf(first))[6]
    expect(price).toBe(e18(universe.prices.spot('btc', SEC + 1).priceE8))
    await socket.close()
  })

  test.each([
    ['400', '/api/v1/ws', undefined],
    ['400', '/api/v1/ws?feedIDs=0x00', undefined],
    ['404', '/ws', undefined],
    ['401', path, 'guess'],
  ])('%s: %s', async (status, refused, secret) => {
    const headers = sign(refused, secret === undefined ? {} : { secret })
    await expect(dial(`${host.wsUrl}${refused}`, headers)).rejects.toThrow(status)
  })
})
