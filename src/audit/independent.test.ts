import { afterAll, beforeAll, expect, test } from 'vitest'
import { counts } from '../../test/counts.js'
import { randomFrom } from '../../test/random.js'
import { balancesOfLogs } from '../chain/attribute/test-balances.js'
import type { Sql } from '../store/connection.js'
import { audit } from './audit.js'
import { EVERYTHING } from './scope.js'
import { bookHistory, type TestLedger } from './test-booked-history.js'
import { type PlainAccount, plainAccounts } from './test-plain-accounts.js'

const TIMEOUT_MS = 60_000
const WALLETS = counts({ short: 300, long: 1_000 })

let ledger: TestLedger
beforeAll(async () => {
  ledger = await bookHistory({ intensity: counts({ short: 1, long: 3 }) })
}, TIMEOUT_MS)
afterAll(() => ledger.database.drop())

test('a history with everything in it is clean', async () => {
  const findings = await audit(ledger.database.sql, { wallets: { kind: 'all' }, span: EVERYTHING })
  expect(findings.flatMap(({ examples }) => examples)).toEqual([])
})

test(`${WALLETS} random wallets have what the chain and their own acts give them`, async () => {
  const { database, universe, logs } = ledger
  const balances = balancesOfLogs(logs)
  const accounts = plainAccounts(universe)
  const rows = await selectPositions(database.sql)
  const wallets = chooseWallets([...new Set(rows.map(({ wallet }) => wallet))], WALLETS)
  expect(wallets.size).toBe(WALLETS)
  const stored = rows.filter(({ wallet }) => wallets.has(wallet))
  for (const { wallet, token, ...position } of stored) {
    const key = `${wallet} ${token}`
    const { shares, ...account } = accounts.get(key) ?? NOTHING
    const balance = balances.get(key) ?? 0n
    expect([key, position]).toEqual([key, { ...account, balance }])
    if (accounts.has(key)) expect([key, shares]).toEqual([key, balance])
  }
  const keys = new Set(stored.map(({ wallet, token }) => `${wallet} ${token}`))
  const isTheirs = (key: string) => wallets.has(key.split(' ')[0] ?? '')
  const bought = [...accounts].filter(([, account]) => account.bought > 0n).map(([key]) => key)
  const due = [...bought, ...balances.keys()].filter(isTheirs)
  expect(due.filter((key) => !keys.has(key))).toEqual([])
  expect(stored.filter(({ realized }) => realized !== 0n).length).toBeGreaterThan(WALLETS / 2)
})

const NOTHING: PlainAccount = { shares: 0n, held: 0n, cost: 0n, realized: 0n, bought: 0n }

type PositionRow = Omit<PlainAccount, 'shares'> & {
  wallet: string
  token: string
  balance: bigint
}

const selectPositions = (sql: Sql) => sql<PositionRow[]>`
  select '0x' || encode(address, 'hex') as wallet, '0x' || encode(tokens.token, 'hex') as token,
         balance, held, cost, realized, bought
    from positions
    join wallets on wallets.id = wallet
    join tokens on tokens.id = positions.token`

function chooseWallets(wallets: string[], count: number): Set<string> {
  const random = randomFrom(1)
  const chosen = new Set<string>()
  while (chosen.size < Math.min(count, wallets.length)) {
    chosen.add(wallets[random(wallets.length)] ?? '')
  }
  return chosen
}
