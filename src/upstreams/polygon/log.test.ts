import { describe, expect, test } from 'vitest'
import { ParseError } from '../transport/parse-json.js'
import { CONTRACTS } from './contracts.js'
import { parseLogs } from './log.js'

const HASH = `0x${'ab'.repeat(32)}`

const good = {
  address: `0x${'1'.repeat(40)}`,
  topics: [HASH],
  data: '0x',
  blockNumber: '0x5b8d80',
  blockHash: HASH,
  transactionHash: HASH,
  transactionIndex: '0x0',
  logIndex: '0x1f',
  blockTimestamp: '0x69168a00',
}

describe('parseLogs', () => {
  test('a log gets its position on the chain', () => {
    expect(parseLogs([good], 'logs')).toEqual([
      {
        at: {
          address: good.address,
          blockNumber: 6_000_000,
          blockHash: HASH,
          txHash: HASH,
          txIndex: 0,
          logIndex: 31,
          timestampSec: 0x69168a00,
        },
        topics: [HASH],
        data: '0x',
        removed: false,
      },
    ])
  })

  test.each([
    ['0x0', 0],
    ['0x00ff', 255],
    ['0xFf', 255],
    ['0x1fffffffffffff', Number.MAX_SAFE_INTEGER],
  ])('%s is a number', (logIndex, expected) => {
    expect(parseLogs([{ ...good, logIndex }], 'logs')[0]?.at.logIndex).toBe(expected)
  })

  test.each([
    ['blockNumber', '0x'],
    ['blockNumber', '0x20000000000000'],
    ['blockNumber', '5'],
    ['blockNumber', '-0x5'],
    ['logIndex', '0x1g'],
    ['logIndex', 31],
    ['transactionIndex', null],
    ['blockTimestamp', ''],
    ['blockHash', HASH.toUpperCase()],
    ['transactionHash', HASH.slice(1)],
    ['address', `0x${'A'.repeat(40)}`],
    ['address', undefined],
    ['topics', [7]],
    ['data', null],
  ])('refused: %s is %j', (name, value) => {
    const parse = () => parseLogs([good, { ...good, [name]: value }], 'answer.logs')
    expect(parse).toThrow(ParseError)
    expect(parse).toThrow(`answer.logs[1].${name} must be`)
  })

  test.each([null, 'log', [good]])('refused: %j is no log', (value) => {
    expect(() => parseLogs([value], 'logs')).toThrow('logs[0] must be an object')
  })

  test('every known contract is recognised', () => {
    const logs = parseLogs(
      CONTRACTS.map(({ address }) => ({ ...good, address })),
      'logs',
    )
    expect(logs.map(({ at }) => at.address)).toEqual(CONTRACTS.map(({ address }) => address))
  })
})
