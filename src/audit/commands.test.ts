import { Command } from 'commander'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createPolygonHost } from '../../sim/polygon/host.js'
import { Faults } from '../../sim/server/faults.js'
import { openHost } from '../../sim/server/host.js'
import { JumpingTiming } from '../../test/jumping-timing.js'
import { ManualClock } from '../../test/manual-clock.js'
import { sumMetric } from '../../test/upstream-socket.js'
import { type Environment, loadConfig } from '../config/config.js'
import { PolygonClient } from '../upstreams/polygon/client.js'
import { createUpstreamMetrics } from '../upstreams/transport/metrics.js'
import { chooseBlocks } from './choose-blocks.js'
import { addLedgerCommands } from './commands.js'
import { AuditJob, NodeAuditJob } from './domain.js'
import { checkNode } from './run-audit.js'
import { bookHistory, type TestLedger } from './test-booked-history.js'

const TIMEOUT_MS = 60_000

let ledger: TestLedger
beforeAll(async () => {
  ledger = await bookHistory({ hours: 0.3, intensity: 0.5 })
}, TIMEOUT_MS)
afterAll(() => ledger.database.drop())

const spoil = async () => {
  const { sql } = ledger.database
  const [row] = await sql`
    update wallet_totals set fills = fills + 1 where wallet = (select min(wallet) from wallet_totals)
    returning '0x' || (select encode(address, 'hex') from wallets where id = wallet) as address`
  onTestFinished(async () => {
    await sql`
      update wallet_totals set fills = fills - 1 where wallet = (select min(wallet) from wallet_totals)`
  })
  return String(row?.address)
}

describe('auspex audit', () => {
  const printed: string[] = []
  beforeEach(() => {
    printed.length = 0
    const log = vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text))
    onTestFinished(() => log.mockRestore())
  })

  async function run(args: string[], env: Environment = {}): Promise<string> {
    const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
    const { sql, target } = ledger.database
    const { config } = loadConfig(env)
    const timing = new JumpingTiming()
    addLedgerCommands(program, (_command, work) => work(sql, { config, target }), timing)
    await program.parseAsync(['audit', ...args], { from: 'user' })
    return printed.join('\n')
  }

  test.each([[[]], [['--wallets', '20']], [['--all']]])('%j: prints a table', async (args) => {
    const text = await run(args)
    expect(text).toMatch(/^CHECK +LOOKED AT +DIFFERENCES +RESULT\n/)
    expect(text).toMatch(/^positions +[\d,]+ rows? of [\d,]+ wallets +0 +ok$/m)
    expect(text).not.toContain('FAILED')
  })

  test('fails, and names what is wrong', async () => {
    const address = await spoil()
    await expect(run(['--wallet', address])).rejects.toThrow(/differences? found\./)
    const text = printed.join('\n')
    expect(text).toMatch(/^wallet totals +1 row of 1 wallet +1 +FAILED$/m)
    expect(text).toContain(`wallet ${address}: fills is stored as`)
  })

  test.each([
    ['a wallet that no fact names', ['--wallet', `0x${'9'.repeat(40)}`], /No fact names the wallet/],
    ['a wallet that is none', ['--wallet', '7'], /40 hex digits/],
    ['a count that is none', ['--wallets', 'x'], /whole number/],
    ['all and some', ['--all', '--wallets', '3'], /cannot be used with/],
  ])('refuses %s', async (_what, args, message) => {
    await expect(run(args)).rejects.toThrow(message)
  })

  test('asks the node that is configured', async () => {
    const text = await run(['--wallets', '1'], { AUSPEX_POLYGON_URL: await openNode() })
    expect(text).toMatch(/^node +block \d+, at the head +0 +ok$/m)
  })

  const AGAINST_NODE = ['--wallets', '1', '--against-node', '--blocks', '60', '--seed', '7']

  test('--against-node compares random blocks, and says how to choose them again', async () => {
    const text = await run(AGAINST_NODE, { AUSPEX_POLYGON_URL: await openNode() })
    expect(text).toMatch(/^blocks at the node +60 blocks, seed 7 +0 +ok$/m)
    expect(text).toMatch(/^facts at the node +\d+ rows of 60 blocks, seed 7 +0 +ok$/m)
    expect(text).toMatch(/^ids at the node +\d+ names in 60 blocks, seed 7 +0 +ok$/m)
  })

  test('--against-node names the transaction, the fact and the field', async () => {
    const { sql } = ledger.database
    const blocks = await chooseBlocks(sql, 60, 7)
    const [fill] = await sql`
      select seq, tx_hash, order_hash from fills where (seq >> 20) = any(${blocks}::bigint[])`
    await sql`update fills set order_hash = '\\x12' where seq = ${fill?.seq}`
    onTestFinished(async () => {
      await sql`update fills set order_hash = ${fill?.orderHash} where seq = ${fill?.seq}`
    })
    const node = { AUSPEX_POLYGON_URL: await openNode() }
    await expect(run(AGAINST_NODE, node)).rejects.toThrow('1 difference found.')
    const log = `block ${fill?.seq >> 20n}, transaction 0x${fill?.txHash.toString('hex')}, log ${fill?.seq % 2n ** 20n}`
    expect(printed.join('\n')).toContain(
      `${log}, row of fills: order_hash is stored as \\x12, and the node gives \\x${fill?.orderHash.toString('hex')}`,
    )
  })

  test.each([
    ['no node', {}, /--against-node needs a node/],
    ['a node that does not answer', { AUSPEX_POLYGON_URL: 'http://127.0.0.1:9' }, /The node cannot/],
  ])('--against-node fails with %s', async (_what, env, message) => {
    await expect(run(AGAINST_NODE, env)).rejects.toThrow(message)
  })
})

/** A node that has the chain of the ledger. */
async function openNode(): Promise<string> {
  const faults = new Faults()
  const host = await openHost('polygon', faults, createPolygonHost(ledger.universe, faults))
  onTestFinished(() => host.close())
  return host.url
}

describe('the node', () => {
  const head = () => ledger.universe.chain.head.number
  const node = (hash: string | undefined, number: number) => ({
    getBlock: async () => (hash === undefined ? undefined : ({ hash } as never)),
    getBlockNumber: async () => number,
  })
  const hash = () => ledger.universe.chain.hashOf(ledger.universe.chain.head)

  test('may be ahead, or behind, or give no answer', async () => {
    const { sql } = ledger.database
    const ahead = await checkNode(sql, node(hash(), head() + 7))
    expect(ahead).toMatchObject({ coverage: `block ${head()}, 7 blocks behind`, differences: 0 })
    expect(await checkNode(sql, node(undefined, 5))).toMatchObject({ differences: 0 })
    const silent = { getBlock: () => Promise.reject(new Error('no answer')) }
    const finding = await checkNode(sql, { ...node(hash(), 1), ...silent })
    expect(finding).toMatchObject({ coverage: 'nothing: no answer', differences: 0 })
  })

  test('may not have another block', async () => {
    const finding = await checkNode(ledger.database.sql, node('0x12', head()), 1)
    expect(finding.differences).toBe(1)
    expect(finding.examples[0]).toMatch(/is booked as 0x[0-9a-f]{64}, the node has 0x12$/)
  })
})

test('the job counts its runs, and warns while something is wrong', async () => {
  const registry = new Registry()
  const clock = new ManualClock(5_000)
  const store = ledger.database
  const job = new AuditJob({ store, registry, clock, log: pino({ level: 'silent' }) })
  const { signal } = new AbortController()
  await job.runOnce(signal)
  expect(job.warning).toBeUndefined()
  expect(await sumMetric(registry, 'auspex_audit_runs_total')).toBe(1)
  expect(await sumMetric(registry, 'auspex_audit_last_run_timestamp_seconds')).toBe(5)
  expect(job.last).toEqual({ last_run: 5, seconds: 0, differences: 0 })

  await store.sql`update chain_state set block_hash = '\\x00'`
  await job.runOnce(signal)
  expect(job.warning).toBe('the audit found 1 difference (block chain): run auspex audit')
  expect(await sumMetric(registry, 'auspex_audit_differences')).toBe(1)
  expect(job.last?.differences).toBe(1)

  await store.sql`
    update chain_state set block_hash = recent_blocks.hash from recent_blocks where number = block`
  await job.runOnce(signal)
  expect(job.warning).toBeUndefined()
  expect(await sumMetric(registry, 'auspex_audit_differences')).toBe(0)
})

test('the job that asks the node warns until the blocks that it found are right', async () => {
  const registry = new Registry()
  const clock = new ManualClock(7_000)
  const store = ledger.database
  const upstreams = { url: await openNode(), clock, log: pino({ level: 'silent' }) }
  const polygon = new PolygonClient({ ...upstreams, metrics: createUpstreamMetrics(registry) })
  onTestFinished(() => polygon.close())
  const job = new NodeAuditJob({ store, registry, clock, log: pino({ level: 'silent' }), polygon })
  const { signal } = new AbortController()
  await job.runOnce(signal)
  expect(job.warning).toBeUndefined()
  const blocks = await sumMetric(registry, 'auspex_audit_node_blocks_total')
  expect(job.last).toEqual({ last_run: 7, blocks, differences: 0 })

  const flip = () => store.sql`
    update blocks
       set hash = set_byte(hash, 31, get_byte(hash, 31) # 1)
     where number < (select block from chain_state) - 300`
  await flip()
  await job.runOnce(signal)
  expect(job.warning).toMatch(
    /^the audit found \d+ differences \(facts at the node\): run auspex backfill --again/,
  )
  expect(await sumMetric(registry, 'auspex_audit_node_differences')).toBeGreaterThan(0)

  await flip()
  await job.runOnce(signal)
  expect(job.warning).toBeUndefined()
  expect(await sumMetric(registry, 'auspex_audit_node_blocks_total')).toBeGreaterThan(2 * blocks)
})
