import { pino } from 'pino'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { ManualClock } from '../../../test/manual-clock.js'
import { Bus } from '../../bus/bus.js'
import { EventRecord } from '../../replay/event-record.js'
import { LiveScores } from '../../scores/live-scores.js'
import { parseScoreFrame } from '../../upstreams/sports-ws/parse.js'
import { SCORES } from './scores-table.js'

const DAY_SEC = 86_400
const FROM_SEC = Date.UTC(2026, 10, 14) / 1_000
const DAY = {
  day: '2026-11-14',
  fromSec: FROM_SEC,
  untilSec: FROM_SEC + DAY_SEC,
  fromBlock: 0,
  toBlock: 0,
  fromSeq: 0,
  toSeq: 0,
}

test('the scores of a day are those that the record for replays has, in their order', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const clock = new ManualClock()
  const log = pino({ level: 'silent' })
  const openBus = () => new Bus({ clock, log })
  const scoreBus = openBus()
  const scores = new LiveScores({ scoreBus, clock, registry: new Registry() })
  const record = new EventRecord({ store: database, bus: openBus(), priceBus: openBus(), scoreBus })
  onTestFinished(record.listen())
  for (const [atSec, score] of [
    [-1, '0-0'],
    [0, '1-0'],
    [DAY_SEC - 1, '2-0'],
    [DAY_SEC, '3-0'],
  ] as const) {
    clock.set((FROM_SEC + atSec) * 1_000)
    const fields = { gameId: 7, slug: 'nba-phx-sea', leagueAbbreviation: 'nba', score, live: true }
    const frame = parseScoreFrame(JSON.stringify(fields))
    if (frame?.kind === 'scores') for (const each of frame.scores) scores.accept(each)
  }
  await record.save()

  const shown: unknown[] = []
  for await (const rows of SCORES.rows(database.sql, DAY)) {
    for (const values of rows)
      shown.push(Object.fromEntries(SCORES.columns.map(({ name }, i) => [name, values[i]])))
  }
  const row = { slug: 'nba-phx-sea', league: 'nba', live: true, ended: null }
  expect(shown).toEqual([
    expect.objectContaining({ ...row, score: '1-0', received_at: BigInt(FROM_SEC) * 1_000_000n }),
    expect.objectContaining({ ...row, score: '2-0' }),
  ])
})
