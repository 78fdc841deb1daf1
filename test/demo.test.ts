import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { askOperations } from '../demo/ask-operations.js'
import type { DemoFile } from '../demo/demo-file.js'
import { dial } from '../sim/prices/test-socket.js'
import { SIM_CREDENTIALS } from '../sim/simulator.js'
import { FIRST_NUMBER } from '../sim/universe/chain.js'
import { checkCryptoAnswers } from './crypto-answers.js'
import { startDemo } from './demo-process.js'
import { checkTypescriptClient } from './generated-client/check-typescript-client.js'
import { checkPrefilledRequests } from './prefilled-requests.js'
import {
  createDataDir,
  expectNoProcesses,
  processesOn,
  type Running,
  runBuilt,
  spawnBuilt,
  startCommand,
} from './processes.js'
import { checkResume, checkWalk, hasPython } from './python-snippets.js'
import { testExamples } from './test-examples.js'
import { testSnippets } from './test-snippets.js'

let folder: ReturnType<typeof createDataDir>
const running: Running[] = []
/** The demo as it was at first, as it was after a stop, and a block that a reorganisation put into its chain. */
let first: DemoFile
let resumed: DemoFile
let covered: Coverage
let head: { hash: string; number: string }

async function start(...args: string[]): Promise<DemoFile> {
  const demo = await startDemo(folder.dataDir, ...args)
  running.push(demo)
  return demo.file
}

const terminal = () => running.at(-1)?.output.join('') ?? ''

const stopDemo = (signal: NodeJS.Signals = 'SIGINT') => running.at(-1)?.stop(signal)

async function rpc(demo: DemoFile, method: string, ...params: unknown[]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const reply = await fetch(demo.upstreams.polygon_http, { method: 'POST', body })
  return ((await reply.json()) as { result: { hash: string; number: string } }).result
}

type Coverage = {
  head: { block: number } | null
  data: { kind: string; from: { block: number } | null; is_complete: boolean }[]
}

async function askCoverage({ url, keys }: DemoFile): Promise<Coverage> {
  const reply = await fetch(`${url}/v1/coverage`, { headers: { 'x-api-key': keys.growth } })
  return (await reply.json()) as Coverage
}

/** Candles in which the price moves: one without ticks is flat. */
async function countCandles({ url, keys }: DemoFile, coin: string): Promise<number> {
  const headers = { 'x-api-key': keys.growth }
  const reply = await fetch(`${url}/v1/crypto/candles?symbol=${coin}`, { headers })
  const { candles } = (await reply.json()) as { candles: { high: number; low: number }[] }
  return candles.filter(({ high, low }) => high > low).length
}

/** What the terminal shows before the banner, and the banner. */
function splitTerminal(text: string) {
  const [before = '', banner = ''] = text.split('\nKeys:')
  return { lines: before.trim().split('\n'), banner }
}

const nothingIsLeft = () => expectNoProcesses(folder.dataDir)

/** One test asks every operation, which a busy machine takes two minutes for. */
const TIMEOUT_MS = 480_000

// The tests follow one folder through its life, because a start of the demo takes seconds.
beforeAll(async () => {
  folder = createDataDir('.auspex-demo')
  // Combos are redeemed about twice an hour.
  first = await start('--history', '4h')
}, TIMEOUT_MS)
afterAll(async () => {
  for (const demo of running.splice(0)) await demo.stop('SIGKILL')
  await nothingIsLeft()
  folder.remove()
})

test(
  'has a key for every plan, and samples that are right',
  async () => {
    expect(Object.keys(first.keys)).toEqual(['free', 'starter', 'growth', 'pro', 'enterprise'])
    for (const [plan, key] of Object.entries<string>(first.keys)) {
      const reply = await fetch(`${first.url}/v1/usage`, { headers: { 'x-api-key': key } })
      expect(await reply.json()).toMatchObject({ tier: plan })
    }

    const readPage = (name: string) => readFileSync(new URL(`../docs/${name}.md`, import.meta.url), 'utf8')
    const [, shown = ''] = /\/readyz\n(\{.*\})\n/.exec(readPage('api')) ?? []
    expect(await (await fetch(`${first.url}/readyz`)).json()).toEqual(JSON.parse(shown))
    const headers = { 'x-api-key': first.keys.growth }
    const status = await (await fetch(`${first.url}/v1/status`, { headers })).json()
    const { jobs } = status as { jobs: { name: string }[] }
    // One row has a job for each period: `market statistics 1d`, `7d`.
    const listed = readPage('operations')
      .match(/^\| `.*$/gm)
      ?.join('\n')
    for (const { name } of jobs) expect(listed).toContain(`\`${name.replace(/ (7d|30d|all)$/, ' 1d')}\``)

    covered = await askCoverage(first)
    expect(covered.head?.block).toBeGreaterThan(FIRST_NUMBER)
    for (const each of covered.data)
      expect(each).toMatchObject({ is_complete: true, from: { block: FIRST_NUMBER } })
    const { lines, banner } = splitTerminal(terminal())
    expect(lines).toEqual([
      expect.stringMatching(/^Universe {2}history simulated +\d+\.\d s$/),
      expect.stringMatching(/^Chain {5}[\d,]+ blocks ingested +\d+\.\d s$/),
      expect.stringMatching(/^Prices {4}candles of all coins filled +\d+\.\d s$/),
    ])
    expect(banner).toContain(join(folder.dataDir, 'demo.log'))
    const [, code] = /Dashboard {2}http:\S+\/sign-in\?code=(\S+)\n/.exec(banner) ?? []
    const signedIn = await fetch(`${first.url}/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    })
    expect([signedIn.status, await signedIn.json()]).toEqual([
      201,
      expect.objectContaining({ account: expect.objectContaining({ name: 'demo growth' }) }),
    ])
    expect(readFileSync(join(folder.dataDir, 'demo.log'), 'utf8')).toMatch(/"msg":"listening"/)
    for (const coin of ['BTC', 'ETH', 'SOL', 'BNB', 'XRP', 'DOGE', 'HYPE']) {
      // The running one may have had no other price than its open yet; an answer is repeated for five seconds.
      await vi.waitFor(async () => expect(await countCandles(first, coin), coin).toBe(30), {
        timeout: 30_000,
        interval: 500,
      })
    }

    const { samples, upstreams } = first
    const events = await fetch(`${upstreams.gamma}/events?slug=${samples.event_slug}`)
    expect(await events.json()).toMatchObject([{ slug: samples.event_slug }])
    const book = await fetch(`${upstreams.clob}/book?token_id=${samples.token_id}`)
    expect(await book.json()).toMatchObject({ market: samples.condition_id })
    const trades = await fetch(`${upstreams.data_api}/trades?user=${samples.wallet}`)
    expect(await trades.json()).toContainEqual(expect.objectContaining({ proxyWallet: samples.wallet }))

    expect(statSync(join(folder.dataDir, 'demo.json')).mode & 0o777).toBe(0o600)
    expect(first.chainlink_credentials).toEqual(SIM_CREDENTIALS.chainlink)
    const stranger = await dial(upstreams.live_v2)
    stranger.send({ op: 'auth', rid: 'a1', auth: first.live_v2_credentials })
    await stranger.until(1)
    expect(JSON.parse(stranger.frames[0] ?? '')).toEqual({ op: 'authed', rid: 'a1' })
    await stranger.close()
  },
  TIMEOUT_MS,
)

// None of them changes what another one asks for, and each waits most of its time.
describe.concurrent('that runs', () => {
  test(
    'is read with typed rows by a TypeScript client that is generated from its documents',
    () => checkTypescriptClient(first),
    TIMEOUT_MS,
  )

  test(
    'answers every operation of its document, in the shape that the document says',
    () => checkAllAnswers(first),
    TIMEOUT_MS,
  )

  test('answers about prices as the specification says', () => checkCryptoAnswers(first), TIMEOUT_MS)

  test('has commands beside it, which find it by its folder', () => checkCommands(first), TIMEOUT_MS)
})

describe('that runs is read by', () => testExamples(() => ({ demo: first, folder: dirname(folder.dataDir) })))

describe('that runs answers the docs:', () => testSnippets(() => ({ demo: first, dataDir: folder.dataDir })))

test(
  'stops when it is asked to, and leaves nothing running',
  async () => {
    const fault = await fetch(`${first.sim_url}/faults`, { method: 'POST', body: '{"reorg":5}' })
    expect(fault.status).toBe(200)
    head = await rpc(first, 'eth_getBlockByNumber', 'finalized', false)
    expect(await stopDemo()).toBe(0)
    await nothingIsLeft()
  },
  TIMEOUT_MS,
)

test(
  'refuses to mix universes in one folder',
  async () => {
    await expect(start('--seed', '2')).rejects.toThrow(/universe of seed 1.*--fresh/s)
    await expect(start('--history', '2h')).rejects.toThrow(
      /began with a history of 4h\.\nContinue it without --history.*--fresh/,
    )
    const statePath = join(folder.dataDir, 'sim.json')
    const state = readFileSync(statePath, 'utf8')
    const { laws, ...rest } = JSON.parse(state)
    writeFileSync(statePath, JSON.stringify({ ...rest, laws: laws - 1 }))
    await expect(start()).rejects.toThrow(/another version of the simulator.*--fresh/s)
    writeFileSync(statePath, state)
  },
  TIMEOUT_MS,
)

test(
  'keeps its folder from a service, which would serve the simulated data as real',
  async () => {
    const up = await startCommand(['up', '--port', '0', '--data', folder.dataDir])
    expect(up.status).toBe(1)
    expect(up.output).toMatch(
      /auspex: The database holds the dataset "simulation of seed 1 from [-\w:.]+", and this service reads the dataset "polymarket"/,
    )
    await nothingIsLeft()
  },
  TIMEOUT_MS,
)

test(
  'that is stopped before it listens says so and leaves nothing running',
  async () => {
    const place = ['--port', '0', '--data', folder.dataDir]
    const { child, output } = spawnBuilt('bin/demo.js', place)
    const hasLock = () => expect(existsSync(join(folder.dataDir, 'auspex.lock'))).toBe(true)
    await vi.waitFor(hasLock, { timeout: 60_000, interval: 5 })
    child.kill('SIGINT')
    const [status] = await once(child, 'close')
    expect(output.join('')).toMatch(/^\nStopping …\nStopped\.\n$/)
    expect(status).toBe(0)
    await nothingIsLeft()
  },
  TIMEOUT_MS,
)

test(
  'a port that is taken is one line in the terminal, and everything stops',
  async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const place = ['--port', String(port), '--data', folder.dataDir]
    const failed = await runBuilt('bin/demo.js', place)
    server.close()
    expect(failed).toEqual({
      status: 1,
      output: expect.stringMatching(/^auspex: Port \d+ on 127\.0\.0\.1 is in use\.[^\n]+\n$/),
    })
    await nothingIsLeft()
  },
  TIMEOUT_MS,
)

test(
  'resumes with the same keys, blocks and coverage',
  async () => {
    resumed = await start()
    expect(resumed.keys).toEqual(first.keys)
    expect(await rpc(resumed, 'eth_getBlockByHash', head.hash, false)).toEqual(head)
    // The last blocks may still be on their way.
    const { data } = await vi.waitFor(
      async () => {
        const answer = await askCoverage(resumed)
        expect(answer.head?.block).toBeGreaterThanOrEqual(Number(head.number))
        return answer
      },
      { timeout: 60_000 },
    )
    expect(data).toMatchObject(covered.data.map(({ kind, from }) => ({ kind, from })))
  },
  TIMEOUT_MS,
)

// What the reference prefills changes accounts: later tests ask nothing of them.
test(
  'has a reference that asks about what it has',
  // The examples in the repository are of another universe.
  () => checkPrefilledRequests(resumed),
  TIMEOUT_MS,
)

test.skipIf(!hasPython())(
  'the Python of docs/api.md walks a list and waits after a 429',
  () => checkWalk(resumed),
  TIMEOUT_MS,
)

test.skipIf(!hasPython('websockets'))(
  'the Python of docs/api.md resumes a stream',
  () => checkResume(resumed),
  TIMEOUT_MS,
)

test(
  'ends with universe and database when it is killed',
  async () => {
    await stopDemo('SIGKILL')
    await nothingIsLeft()
  },
  TIMEOUT_MS,
)

test(
  'begins anew with --fresh',
  async () => {
    const fresh = await start('--fresh', '--seed', '2', '--history', '10m')
    expect(fresh.keys).not.toEqual(first.keys)
    expect(await rpc(fresh, 'eth_getBlockByHash', head.hash, false)).toBeNull()
  },
  TIMEOUT_MS,
)

test(
  'ends when the universe does, and says so',
  async () => {
    const demo = running.at(-1)
    const [universe] = processesOn(join(folder.dataDir, 'sim.json'))
    if (universe !== undefined) process.kill(universe, 'SIGKILL')
    await vi.waitFor(() => expect(demo?.child.exitCode).toBe(1), { timeout: 60_000 })
    expect(demo?.output.join('')).toMatch(/universe ended unasked/)
  },
  TIMEOUT_MS,
)

/** Commands that run beside the demo. */
async function checkCommands({ samples: { wallet } }: DemoFile): Promise<void> {
  const place = ['--data', folder.dataDir]
  const [audit, tail, compare] = await Promise.all([
    // The command asks the node of the demo that it runs beside.
    startCommand(['audit', '--against-node', '--blocks', '5', ...place]),
    // The command finds address and key of the demo in its folder.
    startCommand(['tail', 'blocks', '--json', '--count', '2', ...place]),
    // Commands that only read find the demo of the folder that they are called in.
    startCommand(['compare', wallet], {}, dirname(folder.dataDir)),
  ])
  expect(audit, audit.output).toMatchObject({ status: 0 })
  expect(audit.output).toMatch(/facts at the node .* ok/)
  expect(tail, tail.output).toMatchObject({ status: 0 })
  expect(tail.output).toMatch(/^\{"type":"block",.*\}\n\{"type":"block",.*\}\n$/)
  expect(compare.output).toMatch(new RegExp(`^Comparing .*${wallet}`, 'is'))
  expect(compare.status, compare.output).toBe(0)
}

/** Every path of the OpenAPI document answers about the samples, in the shape that the document says. */
async function checkAllAnswers(demo: DemoFile): Promise<void> {
  // Without a logger: it has a line for each format that it does not know.
  const ajv = new Ajv({ strict: false, logger: false })
  let count = 0
  for await (const { url, status, answer, schema } of askOperations(demo)) {
    expect([200, 201], `${url} ${JSON.stringify(answer)}`).toContain(status)
    const validate = ajv.compile(schema ?? expect.fail(`${url} has no schema`))
    validate(answer)
    expect(validate.errors, url).toBeNull()
    count++
  }
  expect(count).toBeGreaterThan(60)
}
