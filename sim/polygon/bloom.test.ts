import { expect, test } from 'vitest'
import { keccak } from '../contracts/keccak.js'
import { logsBloom } from './bloom.js'

const log = (address: string, topics: string[] = []) => ({ address, topics, data: '0x' })

test('a hundred items give the bloom that go-ethereum computes', () => {
  const logs = Array.from({ length: 100 }, (_, index) =>
    log(`0x${Buffer.from(`xxxxxxxxxx data ${index} yyyyyyyyyyyyyy`).toString('hex')}`),
  )
  expect(keccak(logsBloom(logs).slice(2))).toBe(
    'c8d3ca65cdb4874300a9e39475508f23ed6da09fdbc487f89a2dcf50b09eb263',
  )
})

test('topics count like addresses, and nothing gives zeros', () => {
  expect(logsBloom([log('0xaa', ['0xbb'])])).toBe(logsBloom([log('0xaa'), log('0xbb')]))
  expect(logsBloom([])).toBe(`0x${'0'.repeat(512)}`)
})
