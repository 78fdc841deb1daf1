import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { FloodLog } from './flood-log.js'
import { createLog } from './log.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function open(level: 'info' | 'debug' = 'info') {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => {
    const { time: _, ...fields } = JSON.parse(line)
    lines.push(fields)
  }
  return { lines, flood: new FloodLog(createLog(level, { write })) }
}

test('a thousand lines of a kind become one line and one count', () => {
  const { lines, flood } = open()
  for (let each = 0; each < 1_000; each++) flood.write('warn', 'refused', () => ({ each }), 'a')
  expect(lines).toEqual([{ level: 'warn', each: 0, msg: 'refused' }])
  vi.advanceTimersByTime(60_000)
  expect(lines.slice(1)).toEqual([{ level: 'warn', kind: 'a', repeated: 999, msg: 'refused' }])
  vi.advanceTimersByTime(600_000)
  expect(lines).toHaveLength(2)
})

test('a flood that goes on is one line a minute, and one that is over starts again', () => {
  const { lines, flood } = open()
  for (let second = 0; second < 180; second++) {
    flood.write('info', 'refused', () => ({ second }))
    vi.advanceTimersByTime(1_000)
  }
  expect(lines.map(({ second, repeated }) => second ?? repeated)).toEqual([0, 59, 60, 60])
  vi.advanceTimersByTime(60_000)
  flood.write('info', 'refused', () => ({ second: 240 }))
  expect(lines.at(-1)).toEqual({ level: 'info', second: 240, msg: 'refused' })
})

test('kinds are counted apart, and their number is bounded', () => {
  const { lines, flood } = open()
  for (let kind = 0; kind < 5_000; kind++) flood.write('warn', 'refused', () => ({}), `${kind}`)
  expect(lines).toHaveLength(1_001)
  flood.flush()
  expect(lines.at(-1)).toMatchObject({ kind: '1000', repeated: 3_999 })
})

test('every line is there at debug level, and none is built that is not written', () => {
  const { lines, flood } = open('debug')
  for (let each = 0; each < 3; each++) flood.write('error', 'failed', () => ({ each }))
  expect(lines.map(({ level }) => level)).toEqual(['error', 'debug', 'debug'])

  const quiet = open('info')
  let built = 0
  for (let each = 0; each < 3; each++) {
    quiet.flood.write('error', 'failed', () => {
      built++
      return {}
    })
  }
  expect(built).toBe(1)
})
