// Runs a built checkout against a simulated universe whose time stands still unless it is moved, and writes what it says
// into a folder, for scripts/compare-builds.js: documents, answers to all operations, tables, messages of the sockets.
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import WebSocket from 'ws'

const START_MS = Date.UTC(2026, 10, 14, 12)
const HISTORY_MS = 3_600_000
const WARM_SECONDS = 10
/** They pass one by one while the sockets are read; in the middle the last two blocks are replaced. */
const LIVE_SECONDS = 40
/** After them snapshots are made anew: those that were made while blocks were booked differ from run to run. */
const REST_MS = 31 * 60_000
const WAIT_MS_MAX = 900_000
/** While time passes midpoints are not read, which a timer decides, and each price of a coin has one source. */
const WITHOUT_CHANCE = {
  AUSPEX_CLOB_URL: 'http://127.0.0.1:9',
  AUSPEX_CHAINLINK_API_KEY: '',
  AUSPEX_CHAINLINK_SECRET: '',
}

/** Makes `Date` show the time that the process was told last. */
const CLOCK = `data:text/javascript,${encodeURIComponent(`
  const RealDate = Date
  let nowMs = Number(process.env.COMPARE_NOW_MS ?? RealDate.now())
  globalThis.Date = class Date extends RealDate {
    constructor(...parts) { if (parts.length === 0) super(nowMs); else super(...parts) }
    static now() { return nowMs }
  }
  globalThis.setNow = (ms) => { nowMs = ms }
  process.on('message', (ms) => { nowMs = ms; process.send(ms) })
  process.channel?.unref()
`)}`

/** The service of a build; its time is that of this process. */
class Run {
  constructor(checkout, dataDir, universe, environment) {
    this.main = join(checkout, 'dist/src/main.js')
    this.env = { PATH: process.env.PATH, ...environment, AUSPEX_DATA: dataDir }
    Object.assign(this, { universe, dataDir })
  }

  command(...args) {
    const env = { ...this.env, COMPARE_NOW_MS: String(Date.now()) }
    const options = { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
    return execFileSync(process.execPath, ['--import', CLOCK, this.main, ...args], options).trim()
  }

  createKeys() {
    this.command('accounts', 'create', '--name', 'compared', '--plan', 'enterprise')
    this.key = this.command('keys', 'create', '--account', 'acc_1', '--name', 'compared')
    this.operatorKey = this.command('operator-keys', 'create', '--name', 'compared')
  }

  async start(nowMs, settings = {}) {
    globalThis.setNow(nowMs)
    const env = { ...this.env, ...settings, COMPARE_NOW_MS: String(nowMs) }
    this.child = fork(this.main, ['up', '--port', '0'], { execArgv: ['--import', CLOCK], env, silent: true })
    const log = []
    this.child.stdout.on('data', (chunk) => log.push(chunk))
    this.child.stderr.pipe(process.stderr)
    this.url = await until(() => /"url":"(http:[^"]+)"/.exec(log.join(''))?.[1])
    const host = realpathSync(join(this.dataDir, 'postgres/sock'))
    this.sql = postgres({ host, database: 'auspex', username: 'auspex', max: 1 })
  }

  async subscribe(path, requests, messages) {
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}${path}key=${this.key}`)
    socket.on('message', (data) => messages.push(String(data)))
    await once(socket, 'open')
    for (const request of requests) socket.send(JSON.stringify({ action: 'subscribe', ...request }))
    return socket
  }

  async setTime(nowMs) {
    globalThis.setNow(nowMs)
    this.child.send(nowMs)
    await once(this.child, 'message')
  }

  /** Until the database ends where the chain does. */
  async untilBooked() {
    const { chain } = this.universe
    const select = () => this.sql`select '0x' || encode(block_hash, 'hex') as hash from chain_state`
    await until(async () => (await select())[0]?.hash === chain.hashOf(chain.head))
  }

  /** Until all that happened is booked, and some turns of the service bring no more messages. */
  async untilQuiet(messages, turnsMin = 10) {
    await this.untilBooked()
    for (let turns = 0, count = -1; turns < turnsMin; turns++) {
      if (count !== messages.length) turns = 0
      count = messages.length
      await fetch(`${this.url}/healthz`)
      await sleep(20)
    }
  }

  /** Until all jobs but the shortest and the endless ones have run. */
  async untilJobsRan() {
    await until(async () => {
      const reply = await fetch(`${this.url}/v1/status`, { headers: { 'x-api-key': this.key } })
      const jobs = (await reply.json()).jobs.filter(({ every_seconds }) => every_seconds >= 5)
      return jobs.length > 0 && jobs.every(({ runs, is_running }) => runs > 0 && !is_running)
    })
  }

  async untilScored() {
    await until(async () => (await this.sql`select from copy_scores`).length > 0)
  }

  async stop() {
    await this.sql?.end({ timeout: 1 })
    if (this.child === undefined || this.child.exitCode !== null) return
    this.child.kill('SIGTERM')
    await once(this.child, 'exit')
  }
}

/** Writes everything that is compared of a build, as files of `out`. */
async function record(simulatorCheckout, checkout, out) {
  mkdirSync(out)
  const keep = (name, text) => writeFileSync(join(out, name), `${text}\n`)
  const load = (path) => import(join(simulatorCheckout, 'dist', path))
  const { Universe } = await load('sim/universe/universe.js')
  const presentMs = START_MS + HISTORY_MS
  const universe = new Universe({ seed: 1, startMs: START_MS, presentMs, hasGames: true })
  universe.advance(presentMs)
  const simulator = await (await load('sim/simulator.js')).openSimulator(universe)
  const { simulatedEnvironment } = await load('demo/simulator.js')
  const run = new Run(checkout, `${out}-data`, universe, simulatedEnvironment(simulator.upstreams))
  try {
    await run.start(presentMs, WITHOUT_CHANCE)
    await run.untilBooked()
    run.createKeys()
    await run.untilJobsRan()
    await keepMessages(run, keep)
    await run.stop()
    await run.start(universe.nowMs + REST_MS)
    await run.untilJobsRan()
    await keepBooks(run, keep)
    await keepAnswers(run, keep)
    await keepTables(run, keep)
  } finally {
    await run.stop()
    await simulator.close()
    rmSync(run.dataDir, { recursive: true, force: true })
  }
}

/** What the sockets say while the universe lives on. */
async function keepMessages(run, keep) {
  const { universe } = run
  const messages = []
  const live = async (seconds) => {
    for (let second = 0; second < seconds; second++) {
      await run.setTime(universe.nowMs + 1_000)
      universe.advance(Date.now())
      await run.untilQuiet(messages)
    }
  }
  // Meanwhile the service connects to all upstreams.
  await live(WARM_SECONDS)
  const types = ['global', 'wallets', 'combos', 'fills', 'oracle', 'scores'].map((type) => ({ type }))
  const rest = { event_types: ['combo_lifecycle', 'combo_approval', 'reorg'] }
  const requests = [...types, rest].map((request) => ({ ...request, snapshot_count: 0 }))
  const events = await run.subscribe('/ws?', requests, messages)
  await until(() => messages.length >= requests.length)
  await live(LIVE_SECONDS / 2)
  universe.reorg(2)
  await run.untilQuiet(messages)
  await live(LIVE_SECONDS / 2)
  events.close()
  // Each source has a socket of its own, so their order and their numbers are of chance.
  const isOfSource = (text) => /^.{0,9}"(price_feed|score_update)"/.test(text)
  const ofSources = messages.filter(isOfSource).map((text) => text.replace(/"seq":\d+/, '"seq":0'))
  keep('messages of prices and scores', ofSources.sort().join('\n'))
  const isOther = (text) => !isOfSource(text) && !text.includes('"heartbeat"')
  keep('messages', messages.filter(isOther).join('\n'))
}

/** The books of an event. They stand still: changes come in batches of the machine's time. */
async function keepBooks(run, keep) {
  const messages = []
  const request = { markets: ['presidential-election-winner-2028'] }
  const books = await run.subscribe('/ws/orderbook?integrity=1&', [request], messages)
  await until(() => messages.some((text) => text.includes('"snapshots_done"')))
  books.close()
  keep('messages of books', messages.join('\n'))
}

/** The documents, and what each operation says to its examples. */
async function keepAnswers(run, keep) {
  const read = async (path) => await (await fetch(`${run.url}${path}`)).text()
  keep('auspex config', run.command('config'))
  keep('asyncapi.json', await read('/asyncapi.json'))
  keep('metrics', (await read('/metrics')).match(/^#.*$/gm).sort().join('\n'))
  const document = JSON.parse(await read('/openapi.json'))
  keep('openapi.json', writeSorted(document))
  const find = ({ $ref = '', ...rest }) => document.components.parameters[$ref.split('/').at(-1)] ?? rest
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  // In one order, whatever the document has: what an operation changes, later ones show.
  const isLast = ({ method, path }) => method === 'delete' || path.startsWith('/v1/admin/')
  const rank = (operation) => `${isLast(operation) ? 1 : 0}${operation.operationId}`
  operations.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  let webhook
  for (const { operationId, path, method, parameters = [], requestBody } of operations) {
    const query = new URLSearchParams()
    let filled = path
    for (const { name, in: place, example, schema } of parameters.map(find)) {
      const isWebhook = path.startsWith('/v3/webhooks/') && name === 'id'
      const value = isWebhook ? webhook : (example ?? schema?.examples?.[0] ?? schema?.default)
      if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(`${value}`))
      else if (value !== undefined) query.set(name, `${value}`)
    }
    const example = requestBody?.content['application/json']?.example
    const body = operationId === 'createWebhook' ? { ...example, url: 'http://127.0.0.1:9/' } : example
    // An account may ask for posts once a second.
    if (/social|context/.test(path)) await run.setTime(Date.now() + 1_000)
    const secret = path.startsWith('/v1/admin/') ? run.operatorKey : run.key
    const reply = await fetch(`${run.url}${filled}?${query}`, {
      method: method.toUpperCase(),
      headers: { 'x-api-key': secret, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer = await reply.text()
    if (operationId === 'createWebhook') webhook = JSON.parse(answer).id
    if (operationId === 'addPoolWallets') await run.untilScored()
    const headers = [...reply.headers].map((header) => header.join(': '))
    const lines = [`${method} ${filled}?${query}`, reply.status, ...headers, '', answer]
    keep(`operation ${operationId}`, lines.join('\n'))
  }
}

/** The rows of each table, in an order of their own. */
async function keepTables({ sql }, keep) {
  const tables = await sql`
    select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
  for (const { name } of tables) {
    const rows = await sql.unsafe(`select t::text as row from ${name} t order by 1`)
    keep(`table ${name}`, rows.map(({ row }) => row).join('\n'))
  }
}

/** What `find` returns once it is something; faults on the way are those of a service that is starting. */
async function until(find) {
  const deadline = performance.now() + WAIT_MS_MAX
  while (performance.now() < deadline) {
    const found = await Promise.resolve(find()).catch(() => undefined)
    if (found) return found
    await sleep(20)
  }
  throw new Error(`waited too long: ${find}`)
}

await import(CLOCK)
await record(...process.argv.slice(2))
process.exit(0)

/** JSON whose fields are in the order of the alphabet, a line each. */
function writeSorted(value) {
  const sort = (_name, field) =>
    field?.constructor === Object ? Object.fromEntries(Object.entries(field).sort()) : field
  return JSON.stringify(value, sort, 1)
}
