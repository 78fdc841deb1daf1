import { expect, test } from 'vitest'
import { ADDRESS, WORD } from '../../../sim/contracts/addresses.js'
import { allowPusd } from '../../../sim/contracts/events/erc20.js'
import { approveAll } from '../../../sim/contracts/events/erc1155.js'
import type { LogBody } from '../../../sim/contracts/log.js'
import { createWallet } from '../../../sim/contracts/test-world.js'
import { word } from '../../../sim/contracts/words.js'
import { attributeBatch } from './attribute-batch.js'
import { toChainLogs } from './test-chain-logs.js'

const A = createWallet(1, 'safe')
const B = createWallet(2, 'proxy')

const factsOf = (...bodies: LogBody[]) => attributeBatch({ logs: toChainLogs(bodies), blocks: [] })

test('permissions for combos are facts in the order of their logs, and nothing is stored raw', () => {
  const { approvals, rawLogs, quarantine } = factsOf(
    allowPusd(A.word, WORD.exchangeV3),
    approveAll(A.word, WORD.autoRedeemer),
  )
  expect(approvals).toMatchObject([
    { kind: 'collateral', operator: ADDRESS.exchangeV3, isApproved: true },
    { kind: 'positions', owner: A.address, operator: ADDRESS.autoRedeemer, isApproved: true },
  ])
  expect(approvals.map(({ allowance }) => allowance)).toEqual([2n ** 256n - 1n, undefined])
  expect([...rawLogs, ...quarantine]).toEqual([])
})

test('an allowance of zero and a flag of zero take a permission back', () => {
  const none = { data: `0x${word(0)}` }
  const { approvals } = factsOf(
    { ...allowPusd(A.word, WORD.exchangeV3), ...none },
    { ...approveAll(A.word, B.word), ...none },
  )
  expect(approvals.map(({ isApproved }) => isApproved)).toEqual([false, false])
})

test('what concerns no combo is left out: the first token contract, and money for other contracts', () => {
  const { approvals, rawLogs } = factsOf(allowPusd(A.word, WORD.exchangeV2), allowPusd(A.word, B.word), {
    ...approveAll(A.word, WORD.exchangeV2),
    address: ADDRESS.ctf,
  })
  expect([...approvals, ...rawLogs]).toEqual([])
})
