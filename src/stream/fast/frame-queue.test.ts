import { inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FrameQueue } from './frame-queue.js'
import { createTextFrame, type Frame, payloadLength, SharedFrame } from './shared-frame.js'

/** The plain twin: a list of frames for each connection. */
class PlainQueue {
  readonly frames: { bytes: Buffer; meter: Frame['meter'] }[] = []
  readonly isDeflated: boolean

  constructor(isDeflated: boolean) {
    this.isDeflated = isDeflated
  }

  add(frame: Frame): void {
    const bytes = this.isDeflated ? frame.deflated : frame.plain
    this.frames.push({ bytes, meter: frame.meter })
  }

  payloadOf(meter: Frame['meter']): number {
    const metered = this.frames.filter((frame) => frame.meter === meter)
    return metered.reduce((sum, { bytes }) => sum + payloadLength(bytes), 0)
  }
}

const FRAMES: Frame[] = [
  ...['a', 'b', 'c'].map((text) => new SharedFrame(`{"text":"${text}"}`, 'ws_onchain')),
  new SharedFrame(`{"text":"${'é'.repeat(200)}"}`, 'ws_market'),
  createTextFrame('{"type":"heartbeat"}'),
]

const events = fc.array(
  fc.record({
    frame: fc.constantFrom(...FRAMES),
    receivers: fc.uniqueArray(fc.integer({ min: 0, max: 5 })),
  }),
  { maxLength: 30 },
)

describe('FrameQueue', () => {
  test('gives each connection what a list of its own would', () => {
    fc.assert(
      fc.property(fc.boolean(), events, (isDeflated, sent) => {
        const start = FrameQueue.start(isDeflated)
        const queues = Array.from({ length: 6 }, () => start)
        const plain = Array.from({ length: 6 }, () => new PlainQueue(isDeflated))
        for (const { frame, receivers } of sent) {
          for (const receiver of receivers) {
            queues[receiver] = (queues[receiver] ?? start).next(frame)
            plain[receiver]?.add(frame)
          }
        }
        for (const [index, queue] of queues.entries()) {
          const twin = plain[index] ?? new PlainQueue(isDeflated)
          expect(queue.list()).toEqual(twin.frames)
          expect(queue.bytes).toEqual(Buffer.concat(twin.frames.map(({ bytes }) => bytes)))
          expect(queue.byteLength).toBe(queue.bytes.length)
          expect(queue.onchainBytes).toBe(twin.payloadOf('ws_onchain'))
          expect(queue.marketBytes).toBe(twin.payloadOf('ws_market'))
        }
      }),
    )
  })

  test('connections with the same frames share one buffer', () => {
    const start = FrameQueue.start(false)
    const [a, b, c] = FRAMES as [Frame, Frame, Frame]
    const first = start.next(a).next(b)
    const second = start.next(a).next(b)
    expect(first.bytes).toBe(second.bytes)
    expect(start.next(b).next(a).bytes).not.toBe(first.bytes)
    expect(first.next(c)).toBe(second.next(c))
  })
})

describe('SharedFrame', () => {
  test.each([1, 125, 126, 65_535, 65_536, 100_000])('of %i bytes', (length) => {
    const text = 'x'.repeat(length)
    const frame = new SharedFrame(text, 'ws_market')
    expect(payloadLength(frame.plain)).toBe(length)
    expect(frame.plain.subarray(-length).toString()).toBe(text)
    const deflated = frame.deflated.subarray(-payloadLength(frame.deflated))
    expect(inflateRawSync(deflated).toString()).toBe(text)
  })
})
