import { setTimeout as wait } from 'node:timers/promises'
import { simulatedEnvironment } from '../demo/simulator.js'
import { DEFAULT_PLANS } from '../src/accounts/plans.js'
import { createPool } from '../src/store/connection.js'
import type { Attack, Order, Outcome } from './fairness/attacker.js'
import type { Seen, Watch } from './fairness/monitor.js'
import type { Bench, Figures, Rounds } from './lib/bench.js'
import { BenchServer, type KeptDatabase } from './lib/bench-server.js'
import { percentile } from './lib/compare.js'
import { askPart, nextMessage, startPart } from './lib/parts.js'
import { insertKeys, residentBytes, startAuspexOn } from './lib/processes.js'
import { showProgress } from './lib/progress.js'
import { tidy, tidyLater } from './lib/tidy.js'
import { HISTORIES_DIR, keepHistory, openHistories } from './v3/keep-history.js'
import { selectSamples } from './v3/samples.js'
import type { UniverseReady } from './webhook-latency/universe.js'

const SLOWDOWN_MAX = 3
const HEALTH_MS_MAX = 100
const CHAIN_AGE_SECONDS_MAX = 5
const GROWTH_BYTES_MAX = 200 * 2 ** 20
const WEBHOOK_LATE_MS_MAX = 1_000

const HISTORY = { fills: 1_000_000, partitions: 10 }
const UNDISTURBED_SECONDS = 8
const ATTACK_SECONDS = 15
/** The attack begins a moment before the monitor counts. */
const LEAD_MS = 500
const REST_MS = 3_000
const WARM_UP_MS = 20_000
const INTENSITY = 20
const CONNECTIONS = 45
/** Some of the attacks, by their names. */
const WANTED = new RegExp(process.env.BENCH_ATTACKS ?? '')

export const fairness: Bench = {
  name: 'fairness',
  promise: `one account attacks for ${ATTACK_SECONDS} s: p99 of others' pages at most ${SLOWDOWN_MAX} times that of an undisturbed service`,
  ratioMin: 1,
  unit: '% of the slowdown that is allowed',
  prepare: async () => ({ run, close: tidy }),
}

async function run(onRound: (text: string) => void): Promise<Rounds> {
  const results: Result[] = []
  const figures: Figures = {}
  for (const open of [openLive, openHistory]) {
    const stage = await open()
    results.push(...(await runStage(stage, onRound)))
    if (open === openHistory) figures['the attacker alone'] = await measureAlone(stage)
    await tidy()
  }
  Object.assign(figures, Object.fromEntries(results.map(({ name, text }) => [name, text])))
  // More is better: how many times the slowdown that is allowed is larger than the one that was seen.
  return {
    ours: results.map(({ slowdown }) => (100 * SLOWDOWN_MAX) / slowdown),
    yardstick: results.map(() => 100),
    figures,
  }
}

type Result = { name: string; slowdown: number; text: string }

/** A service, two accounts on it, and what one of them does. */
type Stage = {
  service: { port: number; pid: number }
  /** `receiver`: the attacker that has many webhooks. */
  keys: { monitor: string; attacker: string; receiver: string }
  /** Whose trades the monitor asks for. */
  wallets: string[]
  attacks: Record<string, Attack>
}

/** With a long history: costly reads. */
async function openHistory(): Promise<Stage> {
  console.log(`  histories are kept in ${HISTORIES_DIR}`)
  const target = await keepHistory(await openHistories(), HISTORY, showProgress)
  const pool = createPool(target, 1)
  const { traders, whale } = await selectSamples(pool)
  const tags = await pool<{ slug: string }[]>`select slug from tags order by id limit 5`
  await pool.end()
  const costly = {
    'on-chain positions by tag': tags.map(({ slug }) => `/v2/onchain/positions?tag_slug=${slug}&limit=100`),
    positions: ['/v3/positions?limit=100', `/v3/wallets/${whale}/positions?limit=100`],
    'market statistics': ['/v3/markets/stats?limit=100', '/v3/events/stats?limit=100'],
    'a deep offset': [`/v3/wallets/${whale}/trades?limit=100&offset=10000`],
    'sort by order': [`/v3/wallets/${whale}/trades?limit=1000&order=asc`],
    Parquet: [`/v3/wallets/${whale}/trades?limit=1000&format=parquet`],
  }
  const reads = (paths: string[], parallel: number): Attack => ({ kind: 'reads', paths, parallel })
  const single = Object.entries(costly).map(([name, paths]) => [`30 × ${name}`, reads(paths, 30)] as const)
  const all = reads(Object.values(costly).flat(), 200)
  const attacks = { ...Object.fromEntries(single), '200 reads of all kinds': all }
  return { ...(await serve(target)), wallets: traders, attacks }
}

/** It follows a universe: sockets, books, webhooks and connections. */
async function openLive(): Promise<Stage> {
  const universe = startPart('webhook-latency/universe', [String(INTENSITY), String(Date.now() - 60_000)])
  const { upstreams, headBlock, takers } = await nextMessage<UniverseReady>(universe)
  const { AUSPEX_CHAINLINK_API_KEY: _, ...environment } = simulatedEnvironment(upstreams)
  const server = await BenchServer.start()
  const target = await server.keepDatabase('fairness', 'fairness_', async () => undefined)
  const served = await serve(target, {
    ...environment,
    AUSPEX_FROM_BLOCK: String(headBlock),
    AUSPEX_SECRET_KEY: '5f'.repeat(32),
  })
  await wait(WARM_UP_MS)
  return { ...served, wallets: takers.slice(0, 50), attacks: liveAttacks() }
}

function liveAttacks(): Record<string, Attack> {
  const messages = (path: string, texts: string[], connections = CONNECTIONS): Attack => ({
    kind: 'messages',
    path,
    messages: texts,
    connections,
  })
  const numbers = Array.from({ length: 15_000 }, (_, index) => index + 1)
  const names = numbers.slice(0, 10_000)
  const wallets = names.map((number) => `0x${number.toString(16).padStart(40, '0')}`)
  const subscribe = (fields: object) => JSON.stringify({ action: 'subscribe', type: 'trades', ...fields })
  const books = (markets: string[]) => JSON.stringify({ action: 'subscribe', markets })
  const inventBooks = (list: number) =>
    numbers.map((number) => `${10n ** 70n + BigInt(list * 15_000 + number)}`)
  return {
    'all books, again and again': messages('/ws/orderbook', [books(['*'])]),
    'filters of 10,000 wallets': messages('/ws', [subscribe({ filters: { wallets } })]),
    '10,000 unknown slugs': messages('/ws', [
      subscribe({ filters: { slugs: names.map((number) => `unknown-${number}`) } }),
    ]),
    '2 MB of numbers': messages('/ws', [subscribe({ tokens: Array.from({ length: 900_000 }, () => 1) })]),
    replays: messages('/ws', [subscribe({ since: Date.now() - 300_000 })]),
    'invented books': messages(
      '/ws/orderbook',
      [0, 1, 2, 3].map((list) => books(inventBooks(list))),
      8,
    ),
    '10,000 connections': { kind: 'connections', count: 10_000, from: '127.0.0.2' },
    '300 slow receivers': { kind: 'slow receivers', count: 300, delayMs: 4_500 },
  }
}

async function serve(target: KeptDatabase, env: NodeJS.ProcessEnv = {}) {
  const service = await startAuspexOn(target, env)
  tidyLater(service.stop)
  const pool = createPool(target, 1)
  const [monitor = ''] = await insertKeys(pool, 1, 'growth')
  const [attacker = ''] = await insertKeys(pool, 1, 'growth')
  const [receiver = ''] = await insertKeys(pool, 1, 'enterprise')
  await pool.end()
  return { service, keys: { monitor, attacker, receiver } }
}

/** Each attack is held against the same service between the attacks: a few seconds alone have too few pages for a p99. */
async function runStage(
  { service: { port, pid }, keys, wallets, attacks }: Stage,
  onRound: (text: string) => void,
): Promise<Result[]> {
  const monitor = startPart('fairness/monitor')
  const receiverPort = await nextMessage<number>(monitor)
  if ('300 slow receivers' in attacks) await createWebhook(port, keys.monitor, receiverPort)
  const paths = wallets.map((wallet) => `/v3/wallets/${wallet}/trades`)
  const watch = (seconds: number, keepsAlive: boolean) =>
    askPart<Seen>(monitor, { port, key: keys.monitor, paths, seconds, keepsAlive } satisfies Watch)
  const measured: Measured[] = []
  for (const [name, attack] of Object.entries(attacks)) {
    if (!WANTED.test(name)) continue
    onRound(name)
    const keepsAlive = attack.kind !== 'connections'
    const before = await watch(UNDISTURBED_SECONDS, keepsAlive)
    const bytesBefore = residentBytes(pid)
    const attacker = startPart('fairness/attacker')
    const key = attack.kind === 'slow receivers' ? keys.receiver : keys.attacker
    const order: Order = { port, key, seconds: ATTACK_SECONDS, attack }
    const attacking = askPart<Outcome>(attacker, order)
    await wait(LEAD_MS)
    let peak = bytesBefore
    const sampling = setInterval(() => {
      peak = Math.max(peak, residentBytes(pid))
    }, 50)
    const during = await watch(ATTACK_SECONDS - (2 * LEAD_MS) / 1_000, keepsAlive)
    const outcome = await attacking
    clearInterval(sampling)
    attacker.kill()
    measured.push({ name, keepsAlive, before, during, outcome, growth: peak - bytesBefore })
    await wait(REST_MS)
  }
  return measured.map((each) => {
    const alike = measured.filter(({ keepsAlive }) => keepsAlive === each.keepsAlive)
    const result = judge(
      each,
      alike.map(({ before }) => before),
    )
    console.log(`  ${each.name}: ${result.text}`)
    return result
  })
}

/** While no other account works, the service gives the attacker what its plan grants. */
async function measureAlone({ service: { port }, keys, wallets }: Stage): Promise<string> {
  // The window of the plan's limit has to be empty again.
  await wait(60_000)
  const paths = wallets.map((wallet) => `/v3/wallets/${wallet}/trades`)
  const attack: Attack = { kind: 'reads', paths, parallel: 30 }
  const order: Order = { port, key: keys.attacker, seconds: ATTACK_SECONDS, attack }
  const { 200: answered = 0, ...refused } = await askPart<Outcome>(startPart('fairness/attacker'), order)
  const granted = Math.round((DEFAULT_PLANS.growth.v3PerMinute * ATTACK_SECONDS) / 60)
  const verdict = answered >= granted ? 'kept' : 'MISSED'
  return `${answered} pages in ${ATTACK_SECONDS} s, ${granted} of its plan: ${verdict}; refused: ${JSON.stringify(refused)}`
}

type Measured = {
  name: string
  /** Whether the monitor keeps its connections. */
  keepsAlive: boolean
  before: Seen
  during: Seen
  outcome: Outcome
  growth: number
}

function judge({ name, before, during, outcome, growth }: Measured, undisturbed: readonly Seen[]): Result {
  const p99Before = percentile(
    undisturbed.flatMap(({ pageMs }) => pageMs),
    0.99,
  )
  const p99 = percentile(during.pageMs, 0.99)
  const health = percentile(during.healthMs, 0.99)
  const lateBefore = percentile(
    undisturbed.flatMap(({ webhookMs }) => webhookMs),
    0.99,
  )
  const late = percentile(during.webhookMs, 0.99) - lateBefore
  const slowdown = p99 / p99Before
  const isLive = before.chainAgeSeconds <= CHAIN_AGE_SECONDS_MAX
  const missed = [
    slowdown > SLOWDOWN_MAX && 'p99',
    health > HEALTH_MS_MAX && '/healthz',
    isLive && during.chainAgeSeconds > CHAIN_AGE_SECONDS_MAX && 'chain age',
    growth > GROWTH_BYTES_MAX && 'memory',
    late > WEBHOOK_LATE_MS_MAX && 'webhooks',
    during.failures > 0 && `${during.failures} failures of others`,
  ].filter((each) => each !== false)
  const ms = (value: number) => `${value.toFixed(0)} ms`
  const text = [
    `p99 ${ms(p99Before)} → ${ms(p99)} (${slowdown.toFixed(1)} ×, p50 ${ms(percentile(during.pageMs, 0.5))})`,
    `/healthz ${ms(health)}`,
    ...(isLive ? [`chain age ${before.chainAgeSeconds} → ${during.chainAgeSeconds} s`] : []),
    `memory +${Math.max(0, Math.round(growth / 2 ** 20))} MiB`,
    ...(Number.isFinite(late) ? [`webhooks ${ms(Math.max(0, late))} later`] : []),
    `attacker ${JSON.stringify(outcome)}`,
    missed.length === 0 ? 'kept' : `MISSED: ${missed.join(', ')}`,
  ].join('; ')
  return { name, slowdown, text }
}

async function createWebhook(port: number, key: string, receiverPort: number): Promise<void> {
  const url = `http://127.0.0.1:${receiverPort}/`
  const reply = await fetch(`http://127.0.0.1:${port}/v3/webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ url, event_types: ['trade'] }),
  })
  if (reply.status !== 201) throw new Error(`${reply.status} ${await reply.text()}`)
}
