import { Command, CommanderError } from 'commander'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { simulatedEnvironment } from '../../demo/simulator.js'
import { listDeviations } from '../../sim/data-api/deviations.js'
import { openSimulator, type Simulator } from '../../sim/simulator.js'
import { Universe } from '../../sim/universe/universe.js'
import type { Wallet } from '../../sim/universe/wallet.js'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { JumpingTiming } from '../../test/jumping-timing.js'
import { bookFrom } from '../chain/backfill/test-world.js'
import { type Environment, loadConfig } from '../config/config.js'
import { OperatorError } from '../core/errors.js'
import { addCompareCommand } from './commands.js'
import { selectSpan } from './compare-wallet.js'
import { runCompare } from './run-compare.js'

const START_MS = Date.UTC(2026, 10, 14, 12)
const TIMEOUT_MS = 120_000
/** As many as can be requested without waiting for the limits of the platform. */
const WALLETS = 35

let universe: Universe
let simulator: Simulator
let database: TestDatabase
beforeAll(async () => {
  // This one has wallets with each kind of deviation.
  universe = new Universe({ seed: 28, startMs: START_MS, comboShare: 0.1 })
  universe.advance(START_MS + 45 * 60_000)
  simulator = await openSimulator(universe)
  database = await bookFrom(node(), universe.chain.firstNumber)
}, TIMEOUT_MS)
afterAll(async () => {
  await database.drop()
  await simulator.close()
})
afterEach(() => {
  vi.restoreAllMocks()
  simulator.faults.set({ upstream: '*', mode: 'off' })
})

const node = () => ({ host: { url: simulator.upstreams.polygon_http } })

type Ended = { text: string; code: number; message: string }

/** What is printed, and how the process would end. */
async function capture(work: () => Promise<unknown>): Promise<Ended> {
  const printed: string[] = []
  vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text))
  const end = (code: number, message: string) => ({ text: printed.join('\n'), code, message })
  try {
    await work()
    return end(0, '')
  } catch (error) {
    if (error instanceof OperatorError) return end(error.exitCode, error.message)
    // As main.ts does.
    if (error instanceof CommanderError) return end(2, error.message)
    throw error
  }
}

/** Of what `run` asks the platform. */
const timing = new JumpingTiming()

/** The command as it is typed. */
const run = (args: readonly string[], env: Environment = {}): Promise<Ended> => {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  const { sql, target } = database
  const { config } = loadConfig({ ...simulatedEnvironment(simulator.upstreams), ...env })
  addCompareCommand(program, (_command, work) => work(sql, { config, target }), timing)
  return capture(() => program.parseAsync(['compare', ...args], { from: 'user' }))
}

type Report = {
  from: number
  to: number
  wallets: {
    wallet: string
    positions: number
    trades: number
    error?: string
    left_out: { too_new: number; older_than_ledger: number }
    differences: {
      what: string
      token_id: string
      transaction_hash?: string
      field: string
      ours: string | null
      theirs: string | null
      difference: string | null
    }[]
  }[]
}

/** `--json` at the moment at which the simulated chain stands. */
async function report(wallets: readonly Wallet[], { sql } = database): Promise<Report> {
  const { config } = loadConfig(simulatedEnvironment(simulator.upstreams))
  const addresses = wallets.map(({ address }) => address)
  const flags = { settle: 120, json: true }
  const clock = { now: () => universe.nowMs }
  const { text } = await capture(() => runCompare(sql, config, addresses, flags, { clock }))
  return JSON.parse(text)
}

const actsOf = (wallet: Wallet) => universe.settledActs.ofWallet(wallet).length
const isExact = (wallet: Wallet) => listDeviations(universe, wallet).length === 0

/** The busiest wallets of which the platform states nothing, or something, that is not so. */
const busy = (isWanted: (wallet: Wallet) => boolean): Wallet[] =>
  universe.wallets
    .filter((wallet) => actsOf(wallet) > 3 && isWanted(wallet))
    .sort((a, b) => actsOf(b) - actsOf(a))
    .slice(0, WALLETS)

const exactWallet = (): Wallet => busy(isExact)[0] ?? expect.fail()

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0)

describe('auspex compare', () => {
  test('finds no difference where there is none', async () => {
    const { wallets } = await report(busy(isExact))
    expect(wallets.length).toBe(WALLETS)
    expect(wallets.filter(({ differences }) => differences?.length !== 0)).toEqual([])
    expect(sum(wallets.map(({ positions }) => positions))).toBeGreaterThan(300)
    expect(sum(wallets.map(({ trades }) => trades))).toBeGreaterThan(500)
  })

  test('finds exactly the deviations of the platform', async () => {
    const wallets = busy((wallet) => !isExact(wallet))
    const { wallets: found } = await report(wallets)
    const kinds = new Set<string>()
    for (const [index, wallet] of wallets.entries()) {
      const deviations = listDeviations(universe, wallet)
      for (const { kind } of deviations) kinds.add(kind)
      const expected = deviations.map((deviation) => {
        const { token } = deviation
        const txHash = 'transactionHash' in deviation ? deviation.transactionHash : undefined
        return `${token.decimal} ${txHash}`
      })
      const differing = found[index]?.differences.map(
        ({ token_id: token, transaction_hash: hash }) => `${token} ${hash}`,
      )
      expect(new Set(differing), wallet.address).toEqual(new Set(expected))
    }
    expect(kinds).toEqual(new Set(['unindexed_close', 'stale_size', 'fee_in_average', 'repeated_trade']))
  })

  test('compares a ledger that begins late as far as it goes', async () => {
    const late = await bookFrom(node(), universe.chain.head.number - 700)
    onTestFinished(() => late.drop())
    const { wallets, from, to } = await report(busy(isExact).slice(0, 15), late)
    expect(to - from).toBeLessThan(25 * 60)
    expect(wallets.flatMap(({ differences = [] }) => differences)).toEqual([])
    expect(sum(wallets.map(({ left_out: out }) => out?.older_than_ledger ?? 0))).toBeGreaterThan(20)
    expect(sum(wallets.map(({ trades = 0 }) => trades))).toBeGreaterThan(50)
  })
})

describe('what is wrong here is shown', () => {
  test('a number of a position', async () => {
    const wallet = exactWallet()
    const { sql } = database
    const [position] = await sql`
      select p.wallet, p.token from positions p join wallets w on w.id = p.wallet
       where '0x' || encode(w.address, 'hex') = ${wallet.address} and is_combo = 0 and balance > 0
       order by last_sec limit 1`
    const change = (shares: number) => sql`
      update positions set balance = balance + ${shares}
       where wallet = ${position?.wallet} and token = ${position?.token}`
    await change(1)
    onTestFinished(async () => void (await change(-1)))
    const { text, code, message } = await run([wallet.address])
    expect([code, message]).toEqual([1, '1 difference found.'])
    expect(text).toMatch(/^Comparing with http:.*\nfrom 2026-04-.* to 2026-11-14 12:4.* block \d+\)$/m)
    expect(text).toMatch(
      new RegExp(`^${wallet.address}: 1 difference in \\d+ positions and \\d+ trades`, 'm'),
    )
    expect(text).toMatch(/^ {2}WHAT +WHERE +FIELD +OURS +THEIRS +BY$/m)
    expect(text).toMatch(/^ {2}position +token \d{12}….* current_size +[\d.]+ +[\d.]+ +0.000001$/m)
  })

  test('a trade that is missing', async () => {
    const wallet = exactWallet()
    const { sql } = database
    const [fill] = await sql`
      select seq, wallet from fills
       where wallet = (select id from wallets where '0x' || encode(address, 'hex') = ${wallet.address})
       order by seq limit 1`
    await sql`update fills set wallet = 0 where seq = ${fill?.seq}`
    onTestFinished(async () => {
      await sql`update fills set wallet = ${fill?.wallet} where seq = ${fill?.seq}`
    })
    const { wallets } = await report([wallet])
    expect(wallets[0]?.differences).toEqual([
      expect.objectContaining({
        what: 'trade',
        field: 'rows',
        ours: '0',
        theirs: '1',
        difference: '-1',
      }),
    ])
  })

  test('a wallet that is missing as a whole', async () => {
    const wallet = exactWallet()
    const { sql } = database
    const rename = (from: string, to: string) => sql`
      update wallets set address = decode(${to.slice(2)}, 'hex')
       where address = decode(${from.slice(2)}, 'hex')`
    const other = `0x${'9'.repeat(40)}`
    await rename(wallet.address, other)
    onTestFinished(async () => void (await rename(other, wallet.address)))
    const [found] = (await report([wallet])).wallets
    expect(found?.differences.length).toBe((found?.positions ?? 0) + (found?.trades ?? 0))
    expect(new Set(found?.differences.map(({ ours }) => ours))).toEqual(new Set([null, '0']))
  })
})

describe('2: what cannot be compared says why', () => {
  const stranger = `0x${'9'.repeat(40)}`

  test.each<[string, string[], RegExp]>([
    ['a wallet that is none', ['0x12'], /40 hex digits/],
    ['no wallet', [], /missing required argument/],
    ['a time that is none', ['--settle', '-1', stranger], /whole number/],
  ])('%s', async (_what, args, message) => {
    const ended = await run(args)
    expect(ended.code).toBe(2)
    expect(ended.message).toMatch(message)
  })

  test('a folder without a database', async () => {
    const program = new Command()
    const missing = new OperatorError('There is no database.')
    addCompareCommand(program, () => Promise.reject(missing))
    const ended = await capture(() => program.parseAsync(['compare', stranger], { from: 'user' }))
    expect([ended.code, ended.message]).toEqual([2, missing.message])
  })

  test('a database without blocks', async () => {
    const empty = await createTestDatabase()
    onTestFinished(() => empty.drop())
    const span = selectSpan(empty.sql, 120, START_MS / 1_000)
    await expect(span).rejects.toThrow('no block is booked yet')
  })

  test.each<[string, Environment, 'garbage' | undefined, RegExp]>([
    ['a wallet that neither side knows', {}, undefined, /neither the platform nor this database/],
    ['a Data API that is away', { AUSPEX_DATA_API_URL: 'http://127.0.0.1:9' }, undefined, /ECONNREFUSED/],
    ['garbage', {}, 'garbage', /with no JSON|another shape/],
  ])('%s', async (_what, env, mode, text) => {
    if (mode !== undefined) simulator.faults.set({ upstream: 'data_api', mode })
    const ended = await run([stranger], env)
    expect([ended.code, ended.message]).toEqual([2, '1 of 1 wallets could not be compared.'])
    expect(ended.text).toMatch(new RegExp(`^${stranger}: could not be compared: .*${text.source}`, 'm'))
  })

  test('a wallet that cannot be compared does not keep others from it', async () => {
    const { text, code, message } = await run([stranger, exactWallet().address])
    expect([code, message]).toEqual([2, '1 of 2 wallets could not be compared.'])
    expect(text).toMatch(/^0x[0-9a-f]{40}: the same in \d+ positions and \d+ trades/m)
  })
})

test('waits when the platform asks for it', async () => {
  simulator.faults.set({ upstream: 'data_api', mode: '429', rate: 0.5 })
  const startedMs = timing.now()
  const { text, code } = await run([exactWallet().address])
  expect(code).toBe(0)
  expect(text).toMatch(/: the same in \d+ positions/)
  // The simulator asks for two seconds each time.
  expect(timing.now() - startedMs).toBeGreaterThanOrEqual(2_000)
})
