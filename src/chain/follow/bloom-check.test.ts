import { describe, expect, test } from 'vitest'
import { logsBloom } from '../../../sim/polygon/bloom.js'
import { EXCHANGES } from '../../upstreams/polygon/contracts.js'
import { EMITTERS } from '../../upstreams/polygon/events.js'
import { KNOWN_TOPICS, WATCHED } from '../../upstreams/polygon/filter.js'
import type { ChainLog } from '../../upstreams/polygon/log.js'
import { bloomAllows, contradictsBloom } from './bloom-check.js'

const [exchange = '', otherExchange = ''] = EXCHANGES
const fillTopic =
  [...(EMITTERS.get(exchange)?.events.values() ?? [])].find(({ kind }) => kind === 'fill')?.topic0 ?? ''
const EMPTY = logsBloom([])
const FULL = `0x${'f'.repeat(512)}`

const toLog = (address: string, topic0: string): ChainLog => ({
  at: {
    address,
    blockNumber: 1,
    blockHash: '0x1',
    txHash: '0x2',
    txIndex: 0,
    logIndex: 0,
    timestampSec: 1,
  },
  topics: [topic0],
  data: '0x',
  removed: false,
})
const bloomOf = (logs: readonly ChainLog[]) =>
  logsBloom(logs.map(({ at, topics }) => ({ address: at.address, topics: [...topics], data: '0x' })))

const fill = toLog(exchange, fillTopic)
const otherFill = toLog(otherExchange, fillTopic)

const prepared = toLog(WATCHED.address[0] ?? '', KNOWN_TOPICS[0] ?? '')

describe('the logs of a block are', () => {
  test.each([
    ['all of its bloom', [fill, otherFill], bloomOf([fill, otherFill])],
    ['none, as the bloom says', [], EMPTY],
    ['some of a bloom that admits everything', [fill], FULL],
  ])('believed: %s', (_why, logs, bloom) => {
    expect(contradictsBloom(bloom, logs)).toBe(false)
  })

  test.each([
    ['none, although there is a fill', [], bloomOf([fill])],
    ['none, although there is something else', [], bloomOf([prepared])],
    ['without those of one exchange', [fill], bloomOf([fill, otherFill])],
    ['more than the bloom has', [fill, otherFill], bloomOf([fill])],
    ['of an event that the bloom has not', [toLog(exchange, `0x${'7'.repeat(64)}`)], bloomOf([fill])],
    ['none in a bloom that admits everything', [], FULL],
  ])('contradicted: %s', (_why, logs, bloom) => {
    expect(contradictsBloom(bloom, logs)).toBe(true)
  })

  test('checked one by one', () => {
    const bloom = bloomOf([fill])
    expect([fill, otherFill].map((log) => bloomAllows(bloom, log))).toEqual([true, false])
  })
})
