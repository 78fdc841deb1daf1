import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../../test/api-world.js'
import { mostFrequent } from '../../../test/lists/subject.js'
import { isTakerOrder, type ModelFill } from '../../../test/trades/fill-model.js'

type Settlement = Record<string, string>
type Row = {
  maker: string
  token_id: string
  side: string
  size: number
  is_taker_order: boolean
  order_hash: string
}

let world: ApiWorld
/** Without combos, the newest first. */
let fills: ModelFill[]
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 25 * 60_000, comboShare: 0.2, hasGames: true })
  fills = world.fills.filter(({ isCombo }) => !isCombo).reverse()
}, 180_000)
afterAll(() => world.close())

async function ask(path: string, query: object = {}) {
  const reply = await world.get(`/v1/settlements/${path}`, { ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json() as { count: number; settlements: Settlement[] } & Record<string, unknown>
}

const hashesOf = (of: readonly ModelFill[]): string[] => [...new Set(of.map(({ txHash }) => txHash))]
const shown = ({ settlements }: { settlements: readonly Settlement[] }) =>
  settlements.map(({ tx_hash }) => tx_hash)

describe('GET /v1/settlements/recent', () => {
  test('200: every match once, the newest first', async () => {
    const all = await ask('recent', { count: 1_000 })
    expect(shown(all)).toEqual(hashesOf(fills).slice(0, 1_000))
    expect(all.count).toBe(all.settlements.length)
    expect(shown(await ask('recent'))).toEqual(shown(all).slice(0, 100))
    expect(shown(await ask('recent', { count: 1 }))).toEqual(shown(all).slice(0, 1))
  })

  test('200: what the taker traded, and a row for each order', async () => {
    for (const settlement of (await ask('recent', { count: 50 })).settlements) {
      const own = fills.filter(({ txHash }) => txHash === settlement.tx_hash).reverse()
      const taker = own.find(isTakerOrder) ?? expect.fail()
      expect(settlement).toMatchObject({
        id: `${taker.txHash}_${taker.logIndex}`,
        taker_wallet: taker.maker,
        taker_token: taker.token,
        taker_side: taker.isSell ? 'SELL' : 'BUY',
        taker_size: `${Number(taker.shares) / 1e6}`,
        timestamp: `${taker.timeSec}000`,
        detected_at: `${taker.timeSec}000`,
        block_number: `${taker.block}`,
        status: 'confirmed',
      })
      const rows: Row[] = JSON.parse(settlement.trades_json ?? '')
      expect(rows).toMatchObject(
        own.map((fill) => ({
          maker: fill.maker,
          token_id: fill.token,
          order_hash: fill.orderHash,
          side: fill.isSell ? 'SELL' : 'BUY',
          size: Number(fill.shares) / 1e6,
          is_taker_order: isTakerOrder(fill),
        })),
      )
    }
  })
})

test('GET /v1/settlements/token/{id}: matches in which an order traded the token', async () => {
  const token = mostFrequent(world, (fill) => (fill.isCombo ? '' : fill.token))
  const all = await ask(`token/${token}`, { count: 1_000 })
  expect(all.token_id).toBe(token)
  expect(shown(all)).toEqual(hashesOf(fills.filter((fill) => fill.token === token)))
  expect(await ask(`token/${'9'.repeat(70)}`)).toEqual({
    token_id: '9'.repeat(70),
    count: 0,
    settlements: [],
  })
})

test('GET /v1/settlements/wallet/{address}: matches with an order of the wallet', async () => {
  const wallet = mostFrequent(world, ({ maker }) => maker)
  const all = await ask(`wallet/${wallet.toUpperCase().replace('0X', '0x')}`, { count: 1_000 })
  expect(all.wallet).toBe(wallet)
  expect(shown(all)).toEqual(hashesOf(fills.filter(({ maker }) => maker === wallet)))
  const stranger = `0x${'9'.repeat(40)}`
  expect(await ask(`wallet/${stranger}`)).toEqual({ wallet: stranger, count: 0, settlements: [] })
})

test.each([
  ['count', 'recent?count=0'],
  ['count', 'recent?count=1001'],
  ['count', 'recent?count=x'],
  ['token_id', 'token/x'],
  ['address', 'wallet/0x12'],
])('400: names %s of %s', async (name, path) => {
  const headers = { 'x-api-key': world.key }
  const reply = await world.app.inject({ url: `/v1/settlements/${path}`, headers })
  expect(reply.statusCode).toBe(400)
  expect(reply.json().error).toContain(name)
})

test('401: without a key; 200: on the free plan', async () => {
  expect((await world.app.inject('/v1/settlements/recent')).statusCode).toBe(401)
  const { key } = await world.createCaller('free')
  const headers = { 'x-api-key': key }
  expect((await world.app.inject({ url: '/v1/settlements/recent', headers })).statusCode).toBe(200)
})
