import assert from 'node:assert'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { WebhookEventType } from '../src/webhooks/event-types.js'
import type { WebhookFilters } from '../src/webhooks/filters.js'
import type { Occurrence } from '../src/webhooks/match/occurrence.js'
import { WebhookIndex } from '../src/webhooks/match/webhook-index.js'
import type { Bench, Rounds } from './lib/bench.js'
import { showBound, spread } from './lib/compare.js'

const MANY = 10_000
const FEW = 1_000
const ITEMS = 100
const ROUNDS = 15
const WARM_UP_ROUNDS = 3
const EVENTS = 5_000
const EVENT_US_MAX = 30

/** So many wallets and tokens for each webhook: how many webhooks name one stays the same. */
const WALLETS_PER_WEBHOOK = 20
const TOKENS_PER_WEBHOOK = 10

/** One webhook in ten has a threshold and no keys; most fills do not reach it. */
const USD_MAX = 100

type Want = { eventTypes: WebhookEventType[]; filters: WebhookFilters }
type Crowd = { index: WebhookIndex; webhooks: number; spreadOver: number }

export const webhookMatch: Bench = {
  name: 'webhook-match',
  promise: `webhooks of an event among ${MANY.toLocaleString('en-US')} of ${ITEMS} filter items each against among ${FEW.toLocaleString('en-US')}, with as many matches`,
  // The work is the same; what is left is that a tenth of the keys is nearer to the processor.
  ratioMin: 0.25,
  unit: 'events/s',
  async prepare() {
    return { run: async (onRound) => measureRounds(onRound), close: async () => undefined }
  },
}

function measureRounds(onRound: (text: string) => void): Rounds {
  const few = createCrowd(FEW, 1)
  const bytesBefore = usedBytes()
  const many = createCrowd(MANY, 1)
  const indexBytes = usedBytes() - bytesBefore
  // The same webhooks on a tenth of the keys: ten times as many matches.
  const dense = createCrowd(MANY, 0.1)
  const taken = { few: [] as Round[], many: [] as Round[], dense: [] as Round[] }
  for (let round = 1 - WARM_UP_ROUNDS; round <= ROUNDS; round++) {
    onRound(round < 1 ? 'warming up' : `round ${round} of ${ROUNDS}`)
    const measured = { few: measure(few), many: measure(many), dense: measure(dense) }
    if (round < 1) continue
    taken.few.push(measured.few)
    taken.many.push(measured.many)
    taken.dense.push(measured.dense)
  }
  const speeds = (rounds: Round[]) => rounds.map(({ eventUs }) => 1e6 / eventUs)
  const us = (rounds: Round[]) => spread(rounds.map(({ eventUs }) => eventUs)).median
  const matches = (rounds: Round[]) => spread(rounds.map((round) => round.matches)).median
  return {
    ours: speeds(taken.many),
    yardstick: speeds(taken.few),
    figures: {
      'an event takes': showBound(us(taken.many), EVENT_US_MAX, ' µs'),
      'matches of an event': `${matches(taken.many).toFixed(1)}, and ${matches(taken.few).toFixed(1)} of the few`,
      'with ten times as many matches': `${us(taken.dense).toFixed(1)} µs for ${matches(taken.dense).toFixed(0)}`,
      'memory of the index': `${Math.round(indexBytes / 2 ** 20)} MiB`,
    },
  }
}

type Round = { eventUs: number; matches: number }

function measure(crowd: Crowd): Round {
  const events = createEvents(crowd)
  let found = 0
  // Time of the processor: on a shared machine the clock shows what others do.
  const before = process.cpuUsage()
  for (const event of events) found += crowd.index.match(event).length
  const { user, system } = process.cpuUsage(before)
  assert(found > 0, 'events find webhooks')
  return { eventUs: (user + system) / EVENTS, matches: found / EVENTS }
}

const walletOf = (number: number): string =>
  `0x${Math.floor(number).toString(16).padStart(8, '0').repeat(5)}`
const tokenOf = (number: number): string => `${1e9 + Math.floor(number)}`.repeat(7)

function createCrowd(webhooks: number, spreadOver: number): Crowd {
  const crowd: Crowd = { index: new WebhookIndex(), webhooks, spreadOver }
  for (let id = 0; id < webhooks; id++) {
    crowd.index.set({
      ...{ id, name: `wh_${id}`, accountId: id, fromSeq: 0, activeSinceMs: 0 },
      ...anew(createWant(crowd, id)),
    })
  }
  return crowd
}

/** Nine in ten name wallets or tokens. The thresholds of the others are as many as the crowd is large. */
function createWant(crowd: Crowd, id: number): Want {
  const items = (random: (crowd: Crowd) => string) =>
    Array.from({ length: ITEMS }, () => random(crowd))
  if (id % 10 === 0) {
    const amount = USD_MAX + Math.random() * USD_MAX * crowd.webhooks
    return { eventTypes: ['large_trade', 'trade'], filters: { min_amount_usd: amount } }
  }
  if (id % 2 === 0) {
    const filters = { wallet_addresses: items(randomWallet), min_amount_usd: 1 }
    return { eventTypes: ['trade', 'redemption', 'wallet_activity'], filters }
  }
  return { eventTypes: ['trade', 'price_change'], filters: { token_ids: items(randomToken) } }
}

const createEvents = (crowd: Crowd): Pick<Occurrence, 'type' | 'keys'>[] =>
  Array.from({ length: EVENTS }, () => ({
    type: 'trade',
    keys: {
      ...anew({
        wallets: [randomWallet(crowd), randomWallet(crowd)],
        tokenId: randomToken(crowd),
        conditionIds: [`0x${randomWallet(crowd).slice(2)}${'c'.repeat(24)}`],
        eventSlug: 'weather-in-november',
        tags: ['weather', 'world', 'daily'],
      }),
      usd: BigInt(Math.floor(Math.random() * USD_MAX * 1.05 * 1e6)),
      side: Math.random() < 0.5 ? 'BUY' : 'SELL',
    },
  }))

const randomWallet = ({ webhooks, spreadOver }: Crowd): string =>
  walletOf(Math.random() * webhooks * WALLETS_PER_WEBHOOK * spreadOver)

const randomToken = ({ webhooks, spreadOver }: Crowd): string =>
  tokenOf(Math.random() * webhooks * TOKENS_PER_WEBHOOK * spreadOver)

/** With texts of their own, as every webhook and every fill has them. */
const anew = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
