import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Act } from '../../sim/universe/acts.js'
import type { Transaction } from '../../sim/universe/block.js'
import { type CanonicalFill, readCanonicalFills } from '../streams/canonical-fills.js'
import type { Json } from '../strict-client/shape.js'
import { problemsOfDelivery } from './delivery-checks.js'
import type { Hook } from './hook-client.js'
import { EVENT_TYPE_NAMES, type EventTypeName } from './payload-shapes.js'
import { openReceiver, type Receiver } from './receiver.js'
import { broadFilters, closedFilters } from './type-filters.js'
import { openWebhookWorld, type WebhookWorld } from './webhook-world.js'

/** Each kind of act happens in this time of the seed. */
const LIVE_MS = 45_000
/** Leases of attempts pass as fast: at a much higher speed they would end during the attempts. */
const SPEED = 8
/** Then all orders are complete. */
const QUIET_MS = 40_000
const WALLETS = 500

let world: WebhookWorld
let receiver: Receiver
const hooks = new Map<string, Hook>()
/** Blocks of the time in which the webhooks were there. */
let fromBlock: number
let toBlock: number

const matchingPath = (type: string) => `/matching/${type}`
const otherPath = (type: string) => `/other/${type}`

/** The wallets that did the most. */
const busyWallets = ({ universe: { wallets, settledActs } }: WebhookWorld): string[] =>
  wallets
    .toSorted((a, b) => settledActs.ofWallet(b).length - settledActs.ofWallet(a).length)
    .slice(0, WALLETS)
    .map(({ address }) => address)

/** The data of the events of a type, each once however often it came. */
function payloadsOf(type: EventTypeName): Json[] {
  const events = new Map<string, Json>()
  for (const { envelope } of receiver.at(matchingPath(type))) events.set(envelope.id, envelope.data)
  return [...events.values()]
}

/** Transactions of the blocks in which the webhooks were there, with acts of one kind. */
function actsOf<Kind extends Act['kind']>(kind: Kind) {
  const found: (Transaction & { act: Extract<Act, { kind: Kind }> })[] = []
  for (let number = fromBlock; number <= toBlock; number++) {
    for (const tx of world.universe.chain.block(number)?.transactions ?? []) {
      if (tx.act.kind === kind) found.push(tx as (typeof found)[number])
    }
  }
  return found
}

const usdOf = ({ side, maker_amount, taker_amount }: Json): number =>
  Number(side === 'BUY' ? maker_amount : taker_amount) / 1e6

const sortedBy = <Row extends object>(rows: readonly Row[], name: keyof Row): Row[] =>
  rows.toSorted((a, b) => String(a[name]).localeCompare(String(b[name])))

/** No request has come for a while. */
async function untilQuiet(): Promise<void> {
  let before = -1
  await vi.waitFor(
    () => {
      const { length } = receiver.requests
      const isQuiet = length === before
      before = length
      expect(isQuiet).toBe(true)
    },
    { timeout: 60_000, interval: 1_500 },
  )
}

beforeAll(async () => {
  world = await openWebhookWorld({ seed: 1, intensity: 2 })
  receiver = await openReceiver()
  const wallets = busyWallets(world)
  const builders = world.universe.builders.map(({ code }) => code)
  for (const type of EVENT_TYPE_NAMES) {
    const make = async (path: string, filters: object) => {
      const draft = { url: `${receiver.url}${path}`, event_types: [type], filters }
      hooks.set(path, await world.hooks.create(draft))
    }
    await make(matchingPath(type), broadFilters(type, { wallets, builders }))
    await make(otherPath(type), closedFilters(type, wallets))
  }
  fromBlock = world.universe.chain.head.number + 1
  await world.live(LIVE_MS, SPEED)
  toBlock = world.universe.chain.head.number
  await world.syncMarkets()
  await untilQuiet()
  world.clock.advance(QUIET_MS)
  await untilQuiet()
})
afterAll(async () => {
  await receiver?.close()
  await world?.close()
})

describe('each event type, from the simulated universe', () => {
  test.each(EVENT_TYPE_NAMES)('%s arrives, signed and in its shape', (type) => {
    const deliveries = receiver.at(matchingPath(type))
    expect(deliveries.length).toBeGreaterThan(0)
    const hook = hooks.get(matchingPath(type)) ?? expect.fail('the webhook is there')
    const by = { webhookId: hook.id, secret: hook.secret, nowMs: world.clock.now() }
    const problems = deliveries.flatMap((delivery) => problemsOfDelivery(delivery, by))
    expect(problems.slice(0, 5)).toEqual([])
    expect(new Set(deliveries.map(({ envelope }) => envelope.type))).toEqual(new Set([type]))
    const events = new Set(deliveries.map(({ envelope }) => envelope.id))
    expect(new Set(deliveries.map(({ body }) => body)).size).toBe(events.size)
  })

  test.each(EVENT_TYPE_NAMES)('%s does not arrive where its filters do not match', (type) => {
    expect(receiver.at(otherPath(type)).map(({ envelope }) => envelope.data)).toEqual([])
  })
})

describe('what is told is what happened', () => {
  test('trade: every fill of the chain once, with its amount and price', async () => {
    const nodeUrl = world.simulator.upstreams.polygon_http
    const fills = await readCanonicalFills(nodeUrl, { fromBlock, toBlock })
    const told = new Map(payloadsOf('trade').map((data) => [String(data.id), data]))
    expect([...told.keys()].sort()).toEqual(
      fills.map(({ tx_hash, log_index }) => `${tx_hash}_${log_index}`).sort(),
    )
    for (const { tx_hash, log_index, ...fill } of fills) {
      expect(told.get(`${tx_hash}_${log_index}`)).toMatchObject({
        maker: fill.maker,
        taker: fill.taker,
        token_id: fill.token_id,
        fee_usd: fill.fee,
        direction: fill.side,
        order_hash: fill.order_hash,
        transaction_hash: tx_hash,
        amount_usd: usdOf(fill),
        price: expect.closeTo(Number(fill.price), 4),
      })
    }
  })

  test('order_complete: every order with several fills, and what they come to', async () => {
    const nodeUrl = world.simulator.upstreams.polygon_http
    const fills = await readCanonicalFills(nodeUrl, { fromBlock, toBlock })
    const byOrder = new Map<string, CanonicalFill[]>()
    for (const fill of fills) {
      const hash = String(fill.order_hash)
      byOrder.set(hash, [...(byOrder.get(hash) ?? []), fill])
    }
    const told = payloadsOf('order_complete').map(({ order_hash, fill_count, total_usd }) => ({
      order_hash,
      fill_count,
      total_usd: Number(total_usd).toFixed(6),
    }))
    const expected = [...byOrder]
      .filter(([, of]) => of.length > 1)
      .map(([order_hash, of]) => ({
        order_hash,
        fill_count: of.length,
        total_usd: of.reduce((sum, fill) => sum + usdOf(fill), 0).toFixed(6),
      }))
    expect(sortedBy(told, 'order_hash')).toEqual(sortedBy(expected, 'order_hash'))
  })

  test.each(['split', 'merge'] as const)('%s: every one, with its wallet and amount', (kind) => {
    const told = new Map(payloadsOf(kind).map((data) => [data.transaction_hash, data]))
    const acts = actsOf(kind)
    expect(acts.length).toBeGreaterThan(0)
    for (const { hash, act } of acts) {
      expect(told.get(hash)).toMatchObject({
        wallet: act.wallet.address,
        condition_id: act.market.conditionId,
        market: act.market.question,
        amount: act.amount / 1e6,
      })
    }
  })

  test('neg_risk_conversion: every one, with its wallet, amount and questions', () => {
    const told = new Map(payloadsOf('neg_risk_conversion').map((data) => [data.transaction_hash, data]))
    const acts = actsOf('convert')
    expect(told.size).toBe(acts.length)
    for (const { hash, act } of acts) {
      expect(told.get(hash)).toMatchObject({
        wallet: act.wallet.address,
        market_id: act.event.negRisk?.marketId,
        index_set: `0x${act.indexSet.toString(16).padStart(64, '0')}`,
        amount: act.amount / 1e6,
        event_title: act.event.title,
      })
    }
  })

  test('redemption: every one, with what it paid', () => {
    const told = new Map(payloadsOf('redemption').map((data) => [data.transaction_hash, data]))
    const acts = actsOf('redeem')
    expect(acts.length).toBeGreaterThan(0)
    for (const { hash, act } of acts) {
      const [first, second] = act.payouts
      const paid = act.amounts[0] * first + act.amounts[1] * second
      expect(told.get(hash)).toMatchObject({
        wallet: act.wallet.address,
        condition_id: act.market.conditionId,
        market: act.market.question,
        payout_usd: expect.closeTo(paid / (first + second) / 1e6, 5),
      })
    }
  })

  test('market_resolved: every result', () => {
    const told = payloadsOf('market_resolved').map(({ condition_id, payout_numerators }) => ({
      condition_id,
      payout_numerators,
    }))
    const results = actsOf('resolve').map(({ act: { market, payouts } }) => ({
      condition_id: market.conditionId,
      payout_numerators: `{${payouts.join(',')}}`,
    }))
    expect(sortedBy(told, 'condition_id')).toEqual(sortedBy(results, 'condition_id'))
  })

  test('market_created: markets that came up since', () => {
    const { catalogue } = world.universe
    for (const { condition_id, question, slug, event_slug } of payloadsOf('market_created')) {
      const market = catalogue.marketByCondition(String(condition_id))
      expect({ question, slug, event_slug }).toEqual({
        question: market?.question,
        slug: market?.slug,
        event_slug: market?.event.slug,
      })
    }
  })
})
