import { expect, test } from 'vitest'
import { ADDRESS } from '../../../sim/contracts/addresses.js'
import { encodeAct } from '../../../sim/contracts/encode.js'
import { createMatch } from '../../../sim/contracts/test-acts.js'
import { createWallet, onlyMarket } from '../../../sim/contracts/test-world.js'
import { attributeBatch } from './attribute-batch.js'
import { balancesOfFacts, balancesOfLogs } from './test-balances.js'
import { toChainLogs } from './test-chain-logs.js'
import { encodeLog } from './test-encode-log.js'
import { idOf } from './test-expect-act.js'

const taker = createWallet(1, 'safe')
const maker = createWallet(2, 'proxy')
const match = createMatch({
  exchange: 'v1',
  of: onlyMarket(),
  outcome: 0,
  side: 'BUY',
  taker,
  fee: 4_000,
  refund: 1_500,
  makers: [{ wallet: maker, trades: true, shares: 3_000_000, usd: 1_230_000, fee: 900, refund: 900 }],
})
const { order } = match.taker
const token = idOf(order.token)
const { feeModule } = ADDRESS

test('what the fee module gives back of a fee in shares is no fee, and the rest is in its hands', () => {
  const logs = toChainLogs(encodeAct(match))
  const facts = attributeBatch({ logs, blocks: [] })
  expect(facts.fills.map(({ fee, isFeeInShares }) => [fee, isFeeInShares])).toEqual([
    [0n, false],
    [2_500n, true],
  ])
  expect(facts.transfers).toMatchObject([{ to: feeModule, token, amount: 2_500n }])
  expect(facts.fees.map(({ kind, wallet, token: id, amount }) => [kind, wallet, id, amount])).toEqual([
    ['charged', feeModule, undefined, 900n],
    ['charged', feeModule, token, 4_000n],
    ['refunded', taker.address, token, 1_500n],
    ['refunded', maker.address, undefined, 900n],
  ])
  expect(balancesOfFacts(facts)).toEqual(balancesOfLogs(logs))
})

test('a fee that is more than the shares is not booked', () => {
  const logs = toChainLogs(encodeAct(match)).map((log) =>
    log.data.length === 2 + 5 * 64 ? { ...log, data: `${log.data.slice(0, -8)}ffffffff` } : log,
  )
  const { fills, quarantine } = attributeBatch({ logs, blocks: [] })
  expect(fills).toEqual([])
  expect(quarantine.length).toBeGreaterThan(0)
})

test('an order of the zero address is not booked', () => {
  const zeroWord = `0x${'0'.repeat(64)}`
  const logs = toChainLogs(encodeAct(match)).map((log) =>
    log.data.length === 2 + 5 * 64 ? { ...log, topics: log.topics.with(2, zeroWord) } : log,
  )
  const { fills, transfers, quarantine } = attributeBatch({ logs, blocks: [] })
  expect([...fills, ...transfers]).toEqual([])
  expect(quarantine.length).toBeGreaterThan(0)
})

test('fees that are withdrawn from the fee module are facts, in money and in shares', () => {
  const withdraw = (id: bigint) =>
    encodeLog(feeModule, 'FeeWithdrawn(address token, address to, uint256 id, uint256 amount)', {
      token: ADDRESS.ctf,
      to: taker.address,
      id,
      amount: 7n,
    })
  const logs = toChainLogs([withdraw(0n), withdraw(BigInt(token))])
  expect(attributeBatch({ logs, blocks: [] }).fees).toMatchObject([
    { kind: 'withdrawn', wallet: taker.address, token: undefined, amount: 7n },
    { kind: 'withdrawn', wallet: taker.address, token, amount: 7n },
  ])
})
