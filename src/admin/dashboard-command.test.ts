import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/database.js'
import { createKey, retireKey } from '../accounts/accounts.js'
import { Plans } from '../accounts/plans.js'
import { insertAccount, updateSuspension } from '../accounts/queries.js'
import { inviteOperator, redeemCode } from '../accounts/sign-in-codes.js'
import { type Config, loadConfig } from '../config/config.js'
import { lockDataFolder, writeServiceUpstreams } from '../store/data-folder.js'
import type { WithDatabase } from '../store/with-database.js'
import { addDashboardCommand } from './dashboard-command.js'

let database: TestDatabase
let dataDir: string
beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'auspex-dashboard-'))
})
afterAll(async () => {
  await database.drop()
  rmSync(dataDir, { recursive: true })
})
beforeEach(() => database.sql`truncate accounts restart identity cascade`)

const nowMs = Date.now()
const openAccount = (name: string) => insertAccount(database.sql, { name, plan: 'growth', nowMs })
const makeKey = async (accountId: number, scope: 'full' | 'read' = 'full') =>
  (await createKey(database.sql, { accountId, name: 'k', scope, plans: new Plans(), nowMs })).id

/** What the command prints, or the text of its failure. */
async function run(args: string[] = [], config: Partial<Config> = {}) {
  const opened = { config: { ...loadConfig({}).config, dataDir, ...config }, target: database.target }
  const withDatabase: WithDatabase = (_command, work) => work(database.sql, opened)
  const program = new Command()
  addDashboardCommand(program, withDatabase)
  const printed: string[] = []
  const stderrLines: string[] = []
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(line)),
    vi.spyOn(console, 'error').mockImplementation((line) => void stderrLines.push(line)),
  ]
  onTestFinished(() => spies.forEach((spy) => void spy.mockRestore()))
  const failure = await program.parseAsync(['dashboard', ...args], { from: 'user' }).then(
    () => undefined,
    (error: Error) => error.message,
  )
  const stdout = printed.join('\n')
  const code = /\/sign-in\?code=([\w-]{22})$/.exec(stdout)?.[1] ?? ''
  return { stdout, stderr: stderrLines.join('\n'), code, failure }
}

const redeem = (code: string, accountName?: string) =>
  redeemCode(database.sql, { code, accountName, nowMs: Date.now() })

describe('auspex dashboard', () => {
  test('without an account the link makes the first one, as that of the first start does', async () => {
    const { code, stderr } = await run()
    expect(stderr).toBe('The link makes the first account and its key. It is good once, for 15 minutes.')
    const invitation = await inviteOperator(database.sql)
    expect(await redeem(code, 'desk')).toMatchObject({ secret: expect.stringMatching(/^ax_live_/) })
    expect(await inviteOperator(database.sql)).toBeUndefined()
    // The link that the service printed before still works: only the operator has seen it.
    expect(await redeem(invitation ?? '', 'another')).toMatchObject({ secret: expect.any(String) })
  })

  test('signs in as the oldest key that may change things, and with one that reads where there is no other', async () => {
    const accountId = await openAccount('desk')
    const [read, full] = [await makeKey(accountId, 'read'), await makeKey(accountId)]
    const { code, stderr } = await run()
    expect(stderr).toBe(
      `The link signs in as desk (acc_${accountId}), with key_${full}. It is good once, for 15 minutes.`,
    )
    expect(await redeem(code)).toMatchObject({ keyId: full })
    await retireKey(database.sql, full, nowMs)
    expect(await redeem((await run()).code)).toMatchObject({ keyId: read })
  })

  test.each([['acc_2'], ['2'], ['second']])('finds an account by %s', async (wanted) => {
    for (const name of ['first', 'second']) await makeKey(await openAccount(name))
    expect((await run(['--account', wanted])).stderr).toMatch(/as second \(acc_2\)/)
  })

  test('takes a name before a number', async () => {
    for (const name of ['2', 'second']) await makeKey(await openAccount(name))
    expect((await run(['--account', '2'])).stderr).toMatch(/as 2 \(acc_1\)/)
  })

  test('says what to do where it cannot choose', async () => {
    for (const name of ['twin', 'twin']) await openAccount(name)
    const failureOf = async (...args: string[]) => (await run(args)).failure
    expect(await failureOf()).toBe('Choose one with --account: acc_1 (twin), acc_2 (twin).')
    expect(await failureOf('--account', 'twin')).toMatch(
      /Several accounts have the name 'twin'.*accounts list/,
    )
    expect(await failureOf('--account', 'x')).toMatch(/There is no account 'x'.*accounts list/)
    expect(await failureOf('--account', 'acc_9')).toMatch(/There is no account acc_9/)
    expect(await failureOf('--account', 'acc_1')).toMatch(/keys create --account acc_1/)
    await updateSuspension(database.sql, 1, { suspendedAt: new Date(), reason: null })
    expect(await failureOf('--account', 'acc_1')).toMatch(/accounts resume acc_1/)
    for (const name of ['c', 'd', 'e', 'f']) await openAccount(name)
    expect(await failureOf()).toMatch(/acc_5 \(e\) and more\.$/)
  })

  test('names the public address, else where the service listens, else where it would', async () => {
    const urlOf = async (config: Partial<Config>) =>
      (await run([], config)).stdout.replace(/\/sign-in.*$/, '')
    expect(await urlOf({ port: 9001 })).toBe('http://127.0.0.1:9001')
    expect(await urlOf({ host: '0.0.0.0' })).toBe('http://127.0.0.1:8080')
    expect(await urlOf({ host: '::1' })).toBe('http://[::1]:8080')
    const lock = lockDataFolder(dataDir, { command: 'auspex up', isService: true })
    onTestFinished(() => lock.release())
    writeServiceUpstreams(dataDir, { url: 'http://127.0.0.1:4321' })
    expect(await urlOf({})).toBe('http://127.0.0.1:4321')
    expect(await urlOf({ databaseUrl: 'postgres://x' })).toBe('http://127.0.0.1:8080')
    expect(await urlOf({ publicUrl: 'https://data.example/' })).toBe('https://data.example')
  })
})
