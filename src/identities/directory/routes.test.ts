import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Wallet } from '../../../sim/universe/wallet.js'
import { JumpingTiming } from '../../../test/jumping-timing.js'
import { openSimulatedApp, type SimulatedApp } from '../../../test/simulated-app.js'

const NOBODY = `0x${'9'.repeat(40)}`
const HOUR_MS = 3_600_000

let t: SimulatedApp
let key: string
beforeAll(async () => {
  t = await openSimulatedApp({ isBooked: true, timing: new JumpingTiming() })
  key = (await t.createCaller('enterprise')).key
}, 180_000)
afterAll(() => t.close())
// What was found before is forgotten.
beforeEach(() => t.clock.advance(HOUR_MS))
afterEach(() => t.faults.set({ upstream: '*', mode: 'off' }))

const post = (wallets: unknown) =>
  t.app.inject({
    method: 'POST',
    url: '/v3/identities/batch',
    headers: { 'x-api-key': key },
    payload: { wallets } as object,
  })
const upper = (text: string) => text.toUpperCase().replace('0X', '0x')

/** Wallets of this kind that traded: the chain names them. */
function traders(kind: Wallet['kind']): Wallet[] {
  const { matches } = t.universe.settledActs
  const all = matches.flatMap(({ tx }) => [tx.act.taker, ...tx.act.makers].map(({ order }) => order.wallet))
  return [...new Set(all)].filter((wallet) => wallet.kind === kind)
}
const named = (kind: Wallet['kind']): Wallet => {
  const found = traders(kind).find(({ name }) => name.length > 3)
  if (found === undefined) throw new Error(`no ${kind} with a name trades here`)
  return found
}

describe('POST /v3/identities/batch', () => {
  test('200: says of each wallet what the logs of factories say, and null of others', async () => {
    const wallets = [...traders('safe').slice(0, 20), ...traders('proxy').slice(0, 20)]
    const requestedTexts = [...wallets.map(({ address }) => upper(address)), NOBODY, wallets[0]?.address]
    const { requested, found, identities } = (await post(requestedTexts)).json()
    expect({ requested, found }).toEqual({ requested: wallets.length + 1, found: wallets.length })
    expect(identities[NOBODY]).toBeNull()
    for (const { address, owner, kind } of wallets) {
      expect(identities[address]).toMatchObject({
        eoa: owner,
        wallet_type: kind,
        deployed: true,
        current: true,
      })
    }
  })

  test('200: a key is its own, and a wallet that no factory logged is left open', async () => {
    const { owner } = named('safe')
    const [deposit] = traders('deposit')
    const { identities } = (await post([owner, deposit?.address])).json()
    expect(identities[owner]).toMatchObject({ eoa: owner, wallet_type: null, deployed: false, current: null })
    expect(identities[deposit?.address ?? '']).toMatchObject({ eoa: null, deployed: null, current: null })
  })

  test('200: has a name that was resolved before, without a call of an upstream', async () => {
    const { address, name } = named('safe')
    await t.get(`/v1/resolve/${address}`)
    t.faults.set({ upstream: '*', mode: '500' })
    expect((await post([address])).json().identities[address]).toMatchObject({ username: name })
  })

  test.each([
    ['no wallets', []],
    ['1,001 wallets', Array.from({ length: 1_001 }, (_, n) => `0x${n.toString(16).padStart(40, '0')}`)],
    ['what is no address', ['0x12']],
    ['no list', 'x'],
    ['nothing', undefined],
  ])('400: %s', async (_what, wallets) => {
    const reply = await post(wallets)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain('wallets')
  })
})

describe('GET /v3/identities/search', () => {
  const search = (q: string, limit = 20) =>
    t.get(`/v3/identities/search?q=${encodeURIComponent(q)}&limit=${limit}`)

  test('200: finds the wallet of a name that was never resolved before, in any letter case', async () => {
    const { address, name, owner } = named('proxy')
    const { query, results } = (await search(upper(name))).json()
    expect(query).toBe(upper(name))
    expect(results[0]).toMatchObject({ wallet: address, username: name, eoa: owner, exact: true })
  })

  test('200: finds parts of names, the same name first, then beginnings, while the platform is silent', async () => {
    const { sql } = t.ctx
    const names = ['zz-abcd', 'abcde', 'abcd', 'xabcdx']
    for (const [n, name] of names.entries())
      await sql`insert into usernames values (decode(${`${n + 1}`.padStart(40, '0')}, 'hex'), ${name}, now())`
    t.faults.set({ upstream: '*', mode: '500' })
    const { results, count } = (await search('abcd')).json()
    expect(results.map(({ username }: { username: string }) => username)).toEqual([
      'abcd',
      'abcde',
      'xabcdx',
      'zz-abcd',
    ])
    expect(count).toBe(4)
    expect((await search('abcd', 1)).json().results.length).toBe(1)
    expect((await search('ab')).json().count).toBe(2)
    expect((await search('%_')).json().count).toBe(0)
  })

  test.each([
    ['one letter', 'a'],
    ['61 letters', 'x'.repeat(61)],
    ['a control character', 'ab\u0007'],
  ])('400: %s', async (_what, q) => {
    const reply = await search(q)
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain('q')
  })
})

describe('GET /v3/identities/{address}', () => {
  test('200: by the wallet and by its key', async () => {
    const { address, owner, name } = named('safe')
    const detail = { address, wallet_type: 'safe', deployed: true, current: true }
    const identity = {
      username: name,
      eoa: owner,
      wallet_type: 'safe',
      deployed: true,
      current: true,
      wallet_details: [detail],
      other_wallets: [],
    }
    expect((await t.get(`/v3/identities/${upper(address)}`)).json()).toMatchObject({
      query: address,
      matched_by: 'wallet',
      wallet: address,
      identity,
    })
    expect((await t.get(`/v3/identities/${owner}`)).json()).toMatchObject({
      query: owner,
      matched_by: 'eoa',
      wallet: address,
      identity,
    })
  })

  test('404: an address that did nothing; 400: what is no address', async () => {
    expect((await t.get(`/v3/identities/${NOBODY}`)).statusCode).toBe(404)
    const reply = await t.get('/v3/identities/0x12')
    expect(reply.statusCode).toBe(400)
    expect(reply.json().error).toContain('address')
  })
})

describe('GET /v3/polymarket/profiles', () => {
  const profileOf = (address: string) => t.get(`/v3/polymarket/profiles/${address}`)

  test('200: has what the platform shows of an address', async () => {
    const wallet = named('safe')
    expect((await profileOf(upper(wallet.address))).json()).toMatchObject({
      address: wallet.address,
      proxy_wallet: wallet.address,
      username: wallet.name,
      pseudonym: wallet.pseudonym,
      display_username_public: true,
      profile_image: wallet.profileImage,
      verified_badge: wallet.verified,
      source: 'polymarket_public_profile',
    })
    const hidden = traders('safe').find(({ name }) => name === '')
    expect((await profileOf(hidden?.address ?? '')).json()).toMatchObject({
      username: null,
      display_username_public: false,
    })
  })

  test('404: without a profile; 400: what is no address; 503: the platform is silent', async () => {
    const missing = await profileOf(NOBODY)
    expect(missing.statusCode).toBe(404)
    expect(missing.json()).toMatchObject({ error: 'profile_not_found' })
    expect((await profileOf('0x12')).statusCode).toBe(400)
    t.faults.set({ upstream: 'gamma', mode: '500' })
    expect((await profileOf(NOBODY)).statusCode).toBe(503)
  })

  test('200: a username that a profile has is not available, in any letter case', async () => {
    const isFree = async (username: string) =>
      (
        await t.get(`/v3/polymarket/profiles/username-available?username=${encodeURIComponent(username)}`)
      ).json()
    expect(await isFree(upper(named('safe').name))).toMatchObject({ available: false })
    expect(await isFree('no one has this name')).toMatchObject({
      username: 'no one has this name',
      available: true,
    })
  })

  test('400: without a username', async () => {
    for (const query of ['', '?username=', '?username=%20']) {
      const reply = await t.get(`/v3/polymarket/profiles/username-available${query}`)
      expect(reply.statusCode).toBe(400)
      expect(reply.json().error).toContain('username')
    }
  })
})

test('401 without a key, 402 on the free plan', async () => {
  const { key: free } = await t.createCaller('free')
  for (const url of [
    `/v3/identities/${NOBODY}`,
    '/v3/identities/search?q=ab',
    `/v3/polymarket/profiles/${NOBODY}`,
  ]) {
    expect((await t.app.inject(url)).statusCode).toBe(401)
    expect((await t.app.inject({ url, headers: { 'x-api-key': free } })).statusCode).toBe(402)
  }
})
