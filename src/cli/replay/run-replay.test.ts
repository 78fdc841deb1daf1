import { Command } from 'commander'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { listenSockets } from '../../../test/socket-client.js'
import { createTestApp, type TestApp } from '../../../test/test-app.js'
import { recordTrades } from '../../replay/test-record.js'
import { addReplayCommand } from './commands.js'
import { parseRangeFlags } from './run-replay.js'

let t: TestApp
let address: string[]
let startMs: number
const printed: string[] = []
const notices: string[] = []
beforeAll(async () => {
  t = await createTestApp({ routes: [] })
  const url = (await listenSockets(t.app)).replace('ws', 'http')
  startMs = await recordTrades(t, 60)
  address = ['--url', url, '--key', (await t.createCaller('growth')).key]
})
afterAll(() => t.close())
beforeEach(() => {
  printed.length = 0
  notices.length = 0
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  vi.spyOn(console, 'error').mockImplementation((text) => void notices.push(String(text)))
})
afterEach(() => void vi.restoreAllMocks())

const run = (...args: string[]) => {
  const program = new Command().exitOverride()
  addReplayCommand(program)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
  return program.parseAsync(['replay', ...args, ...address], { from: 'user' })
}
const iso = (seconds: number) => new Date(startMs + seconds * 1_000).toISOString()

test('prints the events of a range, and the counts at the end', async () => {
  await run('trades', '--from', iso(-10), '--to', iso(30), '--speed', 'max', '--json')
  expect(printed.map((line) => JSON.parse(line).data.second)).toEqual(
    Array.from({ length: 30 }, (_, second) => second),
  )
  expect(notices).toEqual([
    `-- what was published before ${iso(0)} is not kept`,
    '-- the replay has ended: 30 events',
  ])
})

test('ends after as many events as asked for', async () => {
  await run('trades', '--from', iso(0), '--to', iso(60), '--speed', 'max', '--count', '3')
  expect(printed).toHaveLength(3)
})

test('what the service refuses is said plainly', async () => {
  await expect(run('nonsense', '--from', iso(0), '--to', iso(1))).rejects.toThrow('unknown type "nonsense"')
})

test.each([
  [{}, 'Say where the replay begins'],
  [{ from: '1700000000', minutes: 5 }, 'Say where the replay begins'],
  [{ from: 'noon' }, '--from must be a time'],
  [{ minutes: 5, to: 'noon' }, '--to must be a time'],
  [{ from: '1700000000', to: '1600000000' }, '--to must be later than --from'],
])('flags that make no range are refused: %o', (flags, message) => {
  expect(() => parseRangeFlags(flags, startMs)).toThrow(message)
})

test('minutes are counted back from the end', () => {
  expect(parseRangeFlags({ minutes: 10, to: '1700000600' }, startMs)).toEqual({
    from: 1_700_000_000_000,
    to: 1_700_000_600_000,
  })
})
