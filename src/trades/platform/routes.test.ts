import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../../../test/api-world.js'
import { mostFrequent } from '../../../test/lists/subject.js'
import { mostCommon } from '../../../test/most-common.js'
import { isTakerOrder, type ModelFill } from '../../../test/trades/fill-model.js'

type Trade = {
  proxyWallet: string
  transactionHash: string
  asset: string
  size: number
  side: string
} & Record<string, unknown>

let world: ApiWorld
/** Without combos, the newest first. */
let fills: ModelFill[]
/** The market that most fills are of, among those that the catalogue has. */
let market: { condition: string; slug: string; tokens: string[] }
beforeAll(async () => {
  world = await openApiWorld({ historyMs: 25 * 60_000, comboShare: 0.2, hasGames: true })
  fills = world.fills.filter(({ isCombo }) => !isCombo).reverse()
  const marketOf = (token: string) => world.universe.catalogue.token(token)?.of
  const isListed = ({ token }: ModelFill) => {
    const of = marketOf(token)
    return of?.kind === 'market' && Number(of.event.id) % 4 !== 0
  }
  const of = marketOf(mostCommon(fills.filter(isListed).map(({ token }) => token)))
  if (of?.kind !== 'market') return expect.fail()
  market = { condition: of.conditionId, slug: of.slug, tokens: of.tokens.map(({ decimal }) => decimal) }
}, 180_000)
afterAll(() => world.close())

async function ask(path: string, query: object = {}) {
  const reply = await world.get(path, { ...query })
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json() as { count: number; trades: Trade[] } & Record<string, unknown>
}

const namesOf = (trades: readonly Trade[]) =>
  trades.map(({ proxyWallet, transactionHash, asset, size, side }) => [
    proxyWallet,
    transactionHash,
    asset,
    size,
    side,
  ])

const expectedOf = (of: readonly ModelFill[]) =>
  of.map(({ maker, txHash, token, shares, isSell }) => [
    maker,
    txHash,
    token,
    Number(shares) / 1e6,
    isSell ? 'SELL' : 'BUY',
  ])

describe('GET /v1/wallets/{address}/trades', () => {
  test('200: the fills of its orders, newest first, in pages', async () => {
    const wallet = mostFrequent(world, ({ maker }) => maker)
    const own = fills.filter(({ maker }) => maker === wallet)
    const path = `/v1/wallets/${wallet}/trades`
    const first = await ask(path, { limit: 500 })
    expect(namesOf(first.trades)).toEqual(expectedOf(own.slice(0, 500)))
    expect(first).toMatchObject({ wallet, count: Math.min(own.length, 500), limit: 500, offset: 0 })
    expect((await ask(path, { limit: 7, offset: 5 })).trades).toEqual(first.trades.slice(5, 12))
  })

  test('200: the market of a row, and a name that was resolved before', async () => {
    const fill = fills.find(({ token }) => market.tokens.includes(token)) ?? expect.fail()
    const path = `/v1/wallets/${fill.maker}/trades`
    const rowOf = async () => {
      const { trades } = await ask(path, { limit: 500 })
      return trades.find(
        ({ transactionHash, asset }) => transactionHash === fill.txHash && asset === fill.token,
      )
    }
    expect(await rowOf()).toMatchObject({
      conditionId: market.condition,
      slug: market.slug,
      outcomeIndex: market.tokens.indexOf(fill.token),
      timestamp: fill.timeSec,
      name: '',
      pseudonym: '',
    })
    const { sql } = world.ctx
    await sql`insert into usernames values (decode(${fill.maker.slice(2)}, 'hex'), 'heron', now())`
    expect(await rowOf()).toMatchObject({ name: 'heron' })
    await sql`delete from usernames`
  })

  test('200: a wallet that the chain never named has none', async () => {
    expect(await ask(`/v1/wallets/0x${'9'.repeat(40)}/trades`)).toMatchObject({ count: 0, trades: [] })
  })
})

describe('GET /v1/markets/{id}/trades', () => {
  const inMarket = () => fills.filter(({ token }) => market.tokens.includes(token))

  test('200: a row for each match, by condition and by slug', async () => {
    const expected = expectedOf(inMarket().filter(isTakerOrder)).slice(0, 500)
    for (const id of [market.condition, market.slug]) {
      const answer = await ask(`/v1/markets/${id}/trades`, { limit: 500 })
      expect(namesOf(answer.trades)).toEqual(expected)
      expect(answer.market).toBe(id)
    }
  })

  test('200: every order of some wallets, and one side', async () => {
    const wallets = [...new Set(inMarket().map(({ maker }) => maker))].slice(0, 20)
    const ofThem = inMarket().filter(({ maker }) => wallets.includes(maker))
    const path = `/v1/markets/${market.condition}/trades`
    const user = wallets.join(',')
    expect(namesOf((await ask(path, { user, limit: 500 })).trades)).toEqual(expectedOf(ofThem.slice(0, 500)))
    const page = await ask(path, { user, limit: 3, offset: 2 })
    expect(namesOf(page.trades)).toEqual(expectedOf(ofThem.slice(2, 5)))
    for (const side of ['buy', 'SELL']) {
      const sold = ofThem.filter(({ isSell }) => isSell === (side === 'SELL'))
      expect(namesOf((await ask(path, { user, side, limit: 500 })).trades)).toEqual(
        expectedOf(sold.slice(0, 500)),
      )
    }
    expect(await ask(path, { user: `0x${'9'.repeat(40)}` })).toMatchObject({ count: 0, trades: [] })
  })

  test('404: a market that neither the chain nor the catalogue has', async () => {
    for (const id of ['no-such-market', `0x${'9'.repeat(64)}`]) {
      const reply = await world.get(`/v1/markets/${id}/trades`)
      expect([reply.statusCode, reply.json()]).toEqual([404, { error: `Market ${id} not found.` }])
    }
  })

  test.each([
    ['user', { user: '0x12' }],
    ['user', { user: Array.from({ length: 21 }, () => `0x${'1'.repeat(40)}`).join(',') }],
    ['side', { side: 'both' }],
    ['limit', { limit: 501 }],
    ['offset', { offset: 10_001 }],
  ])('400: names %s', async (name, query) => {
    const reply = await world.get(`/v1/markets/${market.slug}/trades`, query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain(name)
  })
})

test('GET /v1/activity: the 50 newest matches', async () => {
  const { count, trades } = await ask('/v1/activity')
  const newest = fills.filter(isTakerOrder).slice(0, 50)
  expect(count).toBe(50)
  expect(trades.map(({ wallet, txHash, tokenId, side }) => [wallet, txHash, tokenId, side])).toEqual(
    newest.map(({ maker, txHash, token, isSell }) => [maker, txHash, token, isSell ? 'SELL' : 'BUY']),
  )
})

test('401: without a key', async () => {
  for (const path of ['/v1/activity', `/v1/wallets/0x${'1'.repeat(40)}/trades`, '/v1/markets/x/trades']) {
    expect((await world.app.inject(path)).statusCode).toBe(401)
  }
})
