import { expect, test } from 'vitest'
import { ADDRESS, WORD } from '../../../sim/contracts/addresses.js'
import { unwrap, wrap } from '../../../sim/contracts/collateral.js'
import { encodeAct } from '../../../sim/contracts/encode.js'
import { movePusd } from '../../../sim/contracts/events/erc20.js'
import type { LogBody } from '../../../sim/contracts/log.js'
import { createMatch } from '../../../sim/contracts/test-acts.js'
import { createWallet, onlyMarket } from '../../../sim/contracts/test-world.js'
import { addressWord } from '../../../sim/contracts/words.js'
import { attributeBatch } from './attribute-batch.js'
import { PERPS } from './roles.js'
import { toChainLogs } from './test-chain-logs.js'

const A = createWallet(1, 'safe')
const B = createWallet(2, 'proxy')
const { pusd, usdce, onramp, offramp } = ADDRESS

const flowsOf = (...bodies: LogBody[]) =>
  attributeBatch({ logs: toChainLogs(bodies), blocks: [] }).flows.map(
    ({ kind, from, to, asset, ramp, amount }) => [kind, from, to, asset, ramp, amount],
  )

test('pUSD from wallet to wallet is a transfer', () => {
  expect(flowsOf(movePusd(A.word, B.word, 5))).toEqual([
    ['transfer', A.address, B.address, pusd, undefined, 5n],
  ])
})

test('pUSD to and from the perps contract is a flow of its own kind', () => {
  const perps = addressWord(PERPS)
  expect(flowsOf(movePusd(A.word, perps, 5), movePusd(perps, B.word, 6))).toEqual([
    ['perps_deposit', A.address, PERPS, pusd, undefined, 5n],
    ['perps_withdrawal', PERPS, B.address, pusd, undefined, 6n],
  ])
})

test('a deposit goes to the wallet, and names the ramp and what was wrapped', () => {
  expect(flowsOf(...wrap(WORD.onramp, A.word, 5))).toEqual([
    ['deposit', onramp, A.address, usdce, onramp, 5n],
  ])
})

test('a withdrawal is of who gave the pUSD, be it through the ramp', () => {
  const direct = [movePusd(A.word, WORD.pusd, 5), ...unwrap(WORD.offramp, B.word, 5)]
  const handed = [movePusd(A.word, WORD.offramp, 5), movePusd(WORD.offramp, WORD.pusd, 5)]
  const expected = [['withdrawal', A.address, B.address, usdce, offramp, 5n]]
  expect(flowsOf(...direct)).toEqual(expected)
  expect(flowsOf(...handed, ...unwrap(WORD.offramp, B.word, 5))).toEqual(expected)
  expect(flowsOf(...unwrap(WORD.offramp, B.word, 5))).toEqual([
    ['withdrawal', offramp, B.address, usdce, offramp, 5n],
  ])
})

test('money of trades is no flow, even from wallet to wallet', () => {
  const match = createMatch({
    exchange: 'v2',
    of: onlyMarket(),
    outcome: 0,
    side: 'BUY',
    taker: A,
    fee: 100,
    makers: [{ wallet: B, trades: true, shares: 3_000_000, usd: 1_230_000, fee: 0 }],
  })
  const logs = encodeAct(match)
  expect(logs.some(({ topics }) => topics.includes(`0x${B.word}`))).toBe(true)
  expect(flowsOf(...logs)).toEqual([])
})

test('an absurd amount is put apart', () => {
  const [body] = [movePusd(A.word, B.word, 5)]
  const logs = toChainLogs([{ ...body, data: `0x${'f'.repeat(64)}` }])
  const { flows, quarantine } = attributeBatch({ logs, blocks: [] })
  expect(flows).toEqual([])
  expect(quarantine).toMatchObject([{ reason: 'absurd_amount', contract: pusd }])
})
