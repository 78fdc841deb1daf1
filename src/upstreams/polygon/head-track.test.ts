import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HeadTrack } from './head-track.js'
import type { Head } from './parse.js'

const head = (number: number, branch = 'a', parent = branch): Head => ({
  number,
  hash: `${branch}${number}`,
  parentHash: `${parent}${number - 1}`,
  timestampSec: number * 2,
  logsBloom: undefined,
})

function follow(...heads: Head[]): HeadTrack {
  const track = new HeadTrack()
  for (const each of heads) track.accept(each)
  return track
}

describe('HeadTrack', () => {
  test('heads that follow each other have no gap', () => {
    const track = new HeadTrack()
    for (let number = 10; number < 1_000; number++)
      expect(track.accept(head(number))).toEqual({ gap: undefined })
  })

  test('a head that came before is dropped, also an older one', () => {
    const track = follow(head(10), head(11), head(12))
    expect(track.accept(head(12))).toBeUndefined()
    expect(track.accept(head(10))).toBeUndefined()
    expect(track.accept(head(13))).toEqual({ gap: undefined })
  })

  test('heads that are left out are a gap', () => {
    const track = follow(head(10))
    expect(track.accept(head(14))).toEqual({ gap: { fromBlock: 11, toBlock: 13 } })
  })

  test('after an interruption the last block is in doubt, and the next one too', () => {
    const track = follow(head(10))
    track.interrupt()
    expect(track.accept(head(10))).toBeUndefined()
    expect(track.accept(head(11))).toEqual({ gap: { fromBlock: 10, toBlock: 11 } })
    expect(track.accept(head(12))).toEqual({ gap: undefined })
    track.interrupt()
    expect(track.accept(head(11, 'b', 'a'))).toEqual({ gap: { fromBlock: 11, toBlock: 11 } })
  })

  test('a reorganisation that began during an interruption puts the parent in doubt, too', () => {
    const track = follow(head(10), head(11), head(12))
    track.interrupt()
    expect(track.accept(head(11, 'b'))).toEqual({ gap: { fromBlock: 10, toBlock: 11 } })
  })

  test('a reorganisation that is announced from its first block has no gap', () => {
    const track = follow(head(10), head(11), head(12))
    expect(track.accept(head(11, 'b', 'a'))).toEqual({ gap: undefined })
    expect(track.accept(head(12, 'b'))).toEqual({ gap: undefined })
    expect(track.accept(head(12))).toEqual({ gap: { fromBlock: 11, toBlock: 11 } })
  })

  test('a reorganisation whose start was missed is a gap', () => {
    const track = follow(head(10), head(11))
    expect(track.accept(head(12, 'b'))).toEqual({ gap: { fromBlock: 11, toBlock: 11 } })
  })

  test('whatever heads are lost, each is in a gap or was accepted', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 200 }), (arrives) => {
        const track = follow(head(0))
        const covered = new Set([0])
        for (const [index, comes] of [...arrives, true].entries()) {
          if (!comes) continue
          const { gap } = track.accept(head(index + 1)) ?? {}
          for (let number = gap?.fromBlock ?? 0; number <= (gap?.toBlock ?? -1); number++) covered.add(number)
          covered.add(index + 1)
        }
        expect(covered.size).toBe(arrives.length + 2)
      }),
    )
  })
})
