import { expect, test } from 'vitest'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import { attributeBatch } from './attribute-batch.js'
import { orderLogs, UntrustedLogsError } from './order-logs.js'
import { toChainLogs } from './test-chain-logs.js'

const body = { address: `0x${'1'.repeat(40)}`, topics: [`0x${'2'.repeat(64)}`], data: '0x' }
const logs = toChainLogs([body, body], [body])
const [first, second, third] = logs as [ChainLog, ChainLog, ChainLog]
const otherHash = `0x${'3'.repeat(64)}`

const at = (log: ChainLog, changes: Partial<ChainLog['at']>): ChainLog => ({
  ...log,
  at: { ...log.at, ...changes },
})

test('each log comes once, in the order of the chain, unless it was removed', () => {
  const removed = at({ ...third, removed: true }, { blockHash: otherHash })
  expect(orderLogs([third, removed, first, second, first])).toEqual(logs)
})

test.each([
  ['of a block', [first, at(second, { blockHash: otherHash })]],
  ['of a block, out of order', [at(second, { blockHash: otherHash }), first]],
  ['of a log', [first, second, { ...first, data: '0x00' }]],
  ['of the topics of a log', [first, second, { ...first, topics: [] }]],
  ['of where a log is', [first, second, at(first, { txHash: otherHash })]],
])('two versions %s are not to be trusted', (_what, versions) => {
  expect(() => attributeBatch({ logs: versions, blocks: [] })).toThrow(UntrustedLogsError)
})

test('a header that differs from its logs is not to be trusted, nor two headers', () => {
  const { blockNumber: number, blockHash: hash } = first.at
  const header = { number, hash, parentHash: undefined, timeSec: 1 }
  const other = { ...header, hash: otherHash }
  expect(attributeBatch({ logs, blocks: [header, header] }).blocks).toEqual([header])
  expect(() => attributeBatch({ logs, blocks: [other] })).toThrow(UntrustedLogsError)
  expect(() => attributeBatch({ logs: [], blocks: [header, other] })).toThrow(UntrustedLogsError)
})

test('a log index of more than 20 bits is refused', () => {
  const logs = [at(first, { logIndex: 2 ** 20 })]
  expect(() => attributeBatch({ logs, blocks: [] })).toThrow(UntrustedLogsError)
})
