import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Wallet } from '../../sim/universe/wallet.js'
import { JumpingTiming } from '../../test/jumping-timing.js'
import { openSimulatedApp, type SimulatedApp } from '../../test/simulated-app.js'
import { jobOf } from '../../test/test-app.js'
import { deriveDepositWallets } from '../upstreams/polygon/wallet-addresses.js'
import { IdentityResolver } from './resolver.js'

const HOUR_MS = 3_600_000
const NOBODY = `0x${'9'.repeat(40)}`

let t: SimulatedApp
beforeAll(async () => {
  t = await openSimulatedApp({ isBooked: true, timing: new JumpingTiming() })
})
afterAll(() => t.close())
// What was found before is forgotten.
beforeEach(() => t.clock.advance(HOUR_MS))
afterEach(() => t.faults.set({ upstream: '*', mode: 'off' }))

const resolve = (query: string) => t.get(`/v1/resolve/${encodeURIComponent(query)}`)

/** A wallet that traded: the chain names it. */
function trader(kind: Wallet['kind'], fits: (wallet: Wallet) => boolean = () => true): Wallet {
  const { matches } = t.universe.settledActs
  const traders = matches.flatMap(({ tx }) =>
    [tx.act.taker, ...tx.act.makers].map(({ order }) => order.wallet),
  )
  const found = traders.find((wallet) => wallet.kind === kind && fits(wallet))
  if (found === undefined) throw new Error(`no ${kind} trades here`)
  return found
}

const TYPES = { safe: 'safe', proxy: 'proxy', deposit: 'deposit_wallet' } as const
const PLACES = { safe: 'safe', proxy: 'proxy_wallet', deposit: 'deposit_wallet' } as const

describe('GET /v1/resolve/{query}', () => {
  test.each(['safe', 'proxy', 'deposit'] as const)(
    '200: a %s by its address, by its key and by its username',
    async (kind) => {
      const { address, owner, name } = trader(kind, (wallet) => wallet.name !== '')
      const expected = {
        safe: address,
        eoa: owner,
        username: name,
        type: TYPES[kind],
        wallets: { deposit_wallet: null, safe: null, proxy_wallet: null, [PLACES[kind]]: address },
        wallet_details: [{ address, wallet_type: TYPES[kind], deployed: true, current: true }],
      }
      const upper = (text: string) => text.toUpperCase().replace('0X', '0x')
      for (const query of [address, upper(address), owner, upper(owner), name, upper(name)]) {
        const reply = await resolve(query)
        expect(reply.statusCode, query).toBe(200)
        expect(reply.json()).toEqual(expected)
      }
    },
  )

  test('200: the first form of a deposit wallet', async () => {
    const { nowMs, wallets } = t.universe
    const wallet = wallets.find(
      ({ kind, owner, address, createdMs }) =>
        kind === 'deposit' && createdMs < nowMs && deriveDepositWallets(owner)[0] === address,
    )
    const { address, owner } = wallet ?? { address: '', owner: '' }
    for (const query of [address, owner])
      expect((await resolve(query)).json()).toMatchObject({ safe: address, eoa: owner })
  })

  test('200: a key that trades itself', async () => {
    const { address, name } = trader('eoa')
    expect((await resolve(address)).json()).toEqual({
      safe: address,
      eoa: address,
      username: name || null,
      type: null,
      wallets: { deposit_wallet: null, safe: null, proxy_wallet: null },
      wallet_details: [{ address, wallet_type: null, deployed: false, current: true }],
    })
  })

  test('200: null for the username of a wallet without one', async () => {
    const { address } = trader('safe', ({ name }) => name === '')
    expect((await resolve(address)).json()).toMatchObject({ safe: address, username: null })
  })

  test('200: names that were resolved are found by the search, until they are hidden or 90 days old', async () => {
    const { address, name } = trader('safe', (wallet) => wallet.name !== '')
    const nameless = trader('safe', (wallet) => wallet.name === '')
    const search = async (q: string) => {
      t.clock.advance(10_000)
      return (await t.get(`/v3/search?q=${encodeURIComponent(q)}`)).json().results
    }
    await resolve(name)
    const found = { kind: 'user', id: address, title: name, url_path: `/wallets/${encodeURIComponent(name)}` }
    expect(await search(`@${name.toLowerCase()}`)).toMatchObject([found])
    expect(await search(address)).toMatchObject([{ kind: 'wallet', subtitle: name }])

    await t.ctx.sql`
      insert into usernames values (decode(${nameless.address.slice(2)}, 'hex'), 'was public', now())`
    await resolve(nameless.address)
    expect(await search('@was public')).toEqual([])

    t.clock.advance(90 * 24 * HOUR_MS + 1)
    await jobOf(t.domains, 'old usernames').run({} as never)
    expect(await search(`@${name}`)).toEqual([])
  })

  test('200: every wallet that traded, by its address and by its key', async () => {
    const { matches } = t.universe.settledActs
    const traders = new Set(matches.map(({ tx }) => tx.act.taker.order.wallet))
    for (const { address, owner, kind } of [...traders].slice(0, 40)) {
      const type = kind === 'eoa' ? null : TYPES[kind]
      for (const query of [address, owner])
        expect((await resolve(query)).json()).toMatchObject({ safe: address, eoa: owner, type })
    }
  })

  test.each([
    ['a short address', '0x12'],
    ['no digits', '0x'],
    ['an address with a letter too far', `0x${'g'.repeat(40)}`],
    ['one digit more', `${NOBODY}1`],
    ['a name of too many characters', 'x'.repeat(101)],
  ])('400: %s', async (_what, query) => {
    const reply = await resolve(query)
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({ error: expect.stringMatching(/query/) })
  })

  test.each([
    ['an address that did nothing', NOBODY, 'Address not found.'],
    ["one of the platform's contracts", '0xe111180000d2663c0091e4f400237545b87b996b', 'Address not found.'],
    ['a name that no profile has', 'no such name', 'Username not found.'],
    ['a name that begins like an address', '0xnoone', 'Username not found.'],
  ])('404: %s', async (_what, query, error) => {
    const reply = await resolve(query)
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toEqual({ error })
  })

  test('401: no key', async () => {
    expect((await t.app.inject(`/v1/resolve/${NOBODY}`)).statusCode).toBe(401)
  })

  test('200 on the free plan', async () => {
    const { key } = await t.createCaller('free')
    const { address } = trader('safe')
    const reply = await t.app.inject({
      url: `/v1/resolve/${address}`,
      headers: { 'x-api-key': key },
    })
    expect(reply.statusCode).toBe(200)
  })
})

test('without the logs of factories the node and the platform say what they know', async () => {
  const other = await openSimulatedApp()
  const proxy = trader('proxy')
  const safe = trader('safe')
  const deposit = trader('deposit')
  const ask = async ({ address }: Wallet) => (await other.get(`/v1/resolve/${address}`)).json()
  expect(await ask(proxy)).toMatchObject({ safe: proxy.address, eoa: null, type: 'proxy' })
  expect(await ask(safe)).toMatchObject({ safe: safe.address, eoa: null, type: null })
  expect(await ask(deposit)).toMatchObject({ safe: deposit.address, eoa: deposit.owner })
  await other.close()
})

test('without a node the logs of factories say what is deployed', async () => {
  const { store, clock, log, upstreams } = t.ctx
  const parts = { store, clock, log, gamma: upstreams.gamma, polygon: undefined }
  const resolver = new IdentityResolver(parts)
  const { address, owner } = trader('safe')
  for (const query of [address, owner])
    expect(await resolver.byAddress(query, 1)).toMatchObject({ owner, current: { address } })
})

describe('while an upstream is faulty', () => {
  test('200: what was found before is kept for an hour, and for a minute what was not', async () => {
    const { address } = trader('safe')
    const before = (await resolve(address)).json()
    await resolve(NOBODY)
    t.faults.set({ upstream: 'gamma', mode: '500' })
    t.faults.set({ upstream: 'polygon', mode: '500' })
    t.clock.advance(59_000)
    expect((await resolve(NOBODY)).statusCode).toBe(404)
    t.clock.advance(HOUR_MS - 60_000)
    expect((await resolve(address)).json()).toEqual(before)
  })

  test('Gamma: 200 without a username where the chain knows the address, else 503', async () => {
    const { address, name } = trader('proxy', (wallet) => wallet.name !== '')
    t.faults.set({ upstream: 'gamma', mode: '500' })
    expect((await resolve(address)).json()).toMatchObject({ safe: address, username: null })
    for (const query of [NOBODY, name]) {
      const reply = await resolve(query)
      expect(reply.statusCode).toBe(503)
      expect(reply.json().error).toMatch(/catalogue.*does not answer/)
    }
  })

  test('the node: 503', async () => {
    t.faults.set({ upstream: 'polygon', mode: '500' })
    const reply = await resolve(trader('proxy').address)
    expect(reply.statusCode).toBe(503)
    expect(reply.headers['retry-after']).toBe('1')
    expect(reply.json().error).toMatch(/Polygon node does not answer/)
  })
})
