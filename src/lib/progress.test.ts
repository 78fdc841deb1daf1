import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatSeconds, Progress } from './progress.js'

function watch(options: { isTTY: boolean; columns?: number; linesMs?: number; from?: number }) {
  const { isTTY, columns, linesMs, from } = options
  const written: string[] = []
  const time = { ms: 0 }
  const out = { isTTY, columns, write: (text: string) => written.push(text) }
  const clock = { now: () => time.ms }
  const what = { title: 'Reading', unit: 'blocks', total: 2_000, from, linesMs }
  const progress = new Progress({ ...what, out, clock })
  return { written, time, progress }
}

describe('progress', () => {
  test('is one line on a terminal, with rate and time left, and vanishes', () => {
    const { written, time, progress } = watch({ isTTY: true })
    time.ms = 10_000
    progress.show(500, '7 fills/s')
    progress.show(501)
    progress.end()
    expect(written).toEqual([
      `\r\x1b[KReading  ${'█'.repeat(7)}${'░'.repeat(23)}  25 %  500 of 2,000 blocks  50/s  ETA 30s  7 fills/s`,
      '\r\x1b[K',
    ])
  })

  test('is a line now and then in a pipe when it is wanted', () => {
    const { written, time, progress } = watch({ isTTY: false, linesMs: 10_000 })
    for (const [ms, done] of [
      [1_000, 100],
      [10_000, 1_000],
      [15_000, 1_500],
    ] as const) {
      time.ms = ms
      progress.show(done)
    }
    progress.end()
    expect(written).toEqual(['Reading  50 %  1,000 of 2,000 blocks  100/s  ETA 10s\n'])
  })

  test('is measured from where it began', () => {
    const { written, time, progress } = watch({ isTTY: false, linesMs: 1_000, from: 1_000 })
    time.ms = 10_000
    progress.show(1_500)
    expect(written).toEqual(['Reading  75 %  1,500 of 2,000 blocks  50/s  ETA 10s\n'])
  })

  test('tells the time left by the last seconds, never 0 before the end, and none once all is done', () => {
    const { written, time, progress } = watch({ isTTY: false, linesMs: 1_000 })
    const showAt = (ms: number, done: number) => {
      time.ms = ms
      progress.show(done, 'a note')
    }
    showAt(1_000, 1_900)
    for (let second = 2; second <= 30; second++) showAt(second * 1_000, 1_900 + second)
    showAt(30_900, 1_999)
    showAt(32_000, 1_999)
    showAt(33_000, 2_000)
    expect(written[0]).toMatch(/95 % .* 1,900\/s {2}ETA 1s {2}a note\n$/)
    expect(written.at(-3)).toBe('Reading  96 %  1,930 of 2,000 blocks  1/s  ETA 1m 10s  a note\n')
    expect(written.at(-2)).toMatch(/99 % .* ETA 1s {2}a note\n$/)
    expect(written.at(-1)).toMatch(/100 % .* blocks {2}\d+\/s {2}a note\n$/)
  })

  test('goes forward only, to 100 % of a total that stays, whatever the calls of `show` say', () => {
    const steps = fc.array(fc.tuple(fc.nat(3_000), fc.nat(400)), { minLength: 1 })
    fc.assert(
      fc.property(steps, fc.nat(2_500), (calls, from) => {
        const { written, time, progress } = watch({ isTTY: true, from })
        for (const [done, ms] of calls) {
          time.ms += ms
          progress.show(done)
        }
        progress.complete()
        const frames = written.slice(0, -1).map((frame) => {
          const [, percent, done, total] = /(\d+) % {2}([\d,]+) of ([\d,]+) blocks/.exec(frame) ?? []
          return { percent: Number(percent), done: Number(done?.replace(',', '')), total }
        })
        for (const [index, { percent, done, total }] of frames.entries()) {
          expect(total).toBe('2,000')
          expect(done).toBeLessThanOrEqual(2_000)
          const before = frames[index - 1] ?? { percent: 0, done: 0 }
          expect(percent).toBeGreaterThanOrEqual(before.percent)
          expect(done).toBeGreaterThanOrEqual(before.done)
        }
        expect(frames.at(-1)).toEqual({ percent: 100, done: 2_000, total: '2,000' })
        expect(written.at(-1)).toBe('\r\x1b[K')
      }),
    )
  })

  test('is cut to the width of the terminal, because a wrapped line would stay', () => {
    const { written, time, progress } = watch({ isTTY: true, columns: 40 })
    time.ms = 10_000
    progress.show(500, 'a note that is long')
    expect(written).toEqual([`\r\x1b[KReading  ${'█'.repeat(4)}${'░'.repeat(12)}  25 %  500 of`])
  })

  test('is nothing in a pipe otherwise', () => {
    const { written, time, progress } = watch({ isTTY: false })
    time.ms = 1e9
    progress.show(1)
    progress.end()
    expect(written).toEqual([])
  })
})

test.each([
  [0.4, '0s'],
  [59.4, '59s'],
  [200, '3m 20s'],
  [7_500, '2h 05m'],
  [7_199, '2h 00m'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text)
})
