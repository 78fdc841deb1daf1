import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseScoreFrame } from '../../upstreams/sports-ws/parse.js'
import { draftOf, openTestStream, type TestStream } from './test-stream.js'

let stream: TestStream
beforeEach(async () => {
  stream = await openTestStream()
})
afterEach(() => stream.close())

/** What the score socket says of a game: `nba-1` is a game of the NBA. */
function say(name: string, score: string, fields: object = {}) {
  const [league, gameId] = name.split('-')
  const message = { gameId, slug: name, leagueAbbreviation: league, live: true, ended: false }
  const frame = parseScoreFrame(JSON.stringify({ ...message, score, ...fields }))
  if (frame?.kind !== 'scores') throw new Error('no score')
  for (const each of frame.scores) stream.ctx.scores.accept(each)
}

type Shown = { type: string; [name: string]: unknown }
const scoreOf = ({ data }: Shown) => {
  const { slug, score } = data as { slug: string | null; score: string }
  return `${slug} ${score}`
}
const pastOf = (messages: readonly Shown[]) =>
  messages.filter(({ type }) => type === 'snapshot').flatMap(({ events }) => events as Shown[])
const liveOf = (messages: readonly Shown[]) =>
  messages.filter(({ type }) => type === 'score_update').map(scoreOf)

test('acknowledgement, live games, then each change once', async () => {
  say('nba-1', '0-0')
  say('epl-2', '1-0')
  say('nba-3', '90-88', { live: false, ended: true })
  const client = stream.connect()
  const answer = await client.subscribe('scores')
  expect(answer.map(({ type }) => type)).toEqual(['subscribed', 'snapshot'])
  expect(answer[0]).toMatchObject({ subscription_type: 'scores', warnings: [] })
  expect(pastOf(answer).map(scoreOf)).toEqual(['nba-1 0-0', 'epl-2 1-0'])
  say('nba-1', '2-0')
  say('nba-1', '2-0')
  say('nba-3', '90-91')
  expect(liveOf(client.connection.take())).toEqual(['nba-1 2-0', 'nba-3 90-91'])
})

describe('filters', () => {
  const FILTERS: [object, string[]][] = [
    [{}, ['nba-1', 'nba-2', 'epl-3', 'null']],
    [{ leagues: ['nba'] }, ['nba-1', 'nba-2', 'null']],
    [{ leagues: ['NBA', 'epl'] }, ['nba-1', 'nba-2', 'epl-3', 'null']],
    [{ game_slugs: ['nba-2', 'epl-3'] }, ['nba-2', 'epl-3']],
    [{ leagues: ['nba'], game_slugs: ['nba-2', 'epl-3'] }, ['nba-2']],
    [{ leagues: ['no-such-league'] }, []],
    [{ leagues: [], game_slugs: null }, ['nba-1', 'nba-2', 'epl-3', 'null']],
  ]
  test.each(FILTERS)('%j select the past and the present alike', async (filters, expected) => {
    const sayAll = (score: string) => {
      for (const name of ['nba-1', 'nba-2', 'epl-3']) say(name, score)
      say('nba-4', score, { slug: undefined })
    }
    sayAll('0-0')
    const client = stream.connect()
    const past = pastOf(await client.subscribe('scores', filters)).map(scoreOf)
    sayAll('1-0')
    expect(past).toEqual(expected.map((name) => `${name} 0-0`))
    expect(liveOf(client.connection.take())).toEqual(expected.map((name) => `${name} 1-0`))
  })

  test.each([
    [{ leagues: 'nba' }, 'leagues must be a list, not "nba"'],
    [{ leagues: ['n b a'] }, 'leagues must hold codes of leagues: 1 to 40 letters, digits'],
    [{ leagues: ['x'.repeat(41)] }, 'leagues must hold codes'],
    [{ leagues: [7] }, 'leagues must hold codes'],
    [{ game_slugs: [''] }, 'game_slugs must hold slugs of 1 to 300 characters'],
    [{ game_slugs: ['x'.repeat(301)] }, 'game_slugs must hold slugs'],
    [{ game_slugs: [{}] }, 'game_slugs must hold slugs'],
  ])('%j is refused', async (filters, message) => {
    const [answer, ...more] = await stream.connect().subscribe('scores', filters)
    expect(more).toEqual([])
    expect(answer).toMatchObject({ type: 'error', code: 'invalid_filter' })
    expect(answer?.message).toContain(message)
  })

  test('count toward the items of the plan', async () => {
    const game_slugs = Array.from({ length: 10_001 }, (_, index) => `nba-${index}`)
    const [answer] = await stream.connect('free').subscribe('scores', { game_slugs })
    expect(answer).toMatchObject({ type: 'error', code: 'filter_limit', max: 10_000 })
  })

  test('those of another kind are ignored, with a warning', async () => {
    const client = stream.connect()
    const [trades] = await client.subscribe('trades', { leagues: ['nba'], snapshot_count: 0 })
    expect(trades?.warnings).toEqual(['leagues and game_slugs apply to scores: they were ignored'])
    const [scores] = await client.subscribe('scores', { slugs: ['nba-1'] })
    expect(scores).toMatchObject({
      type: 'subscribed',
      warnings: ['scores have the filters leagues and game_slugs: all others were ignored'],
    })
  })
})

test('the games that a client names are in its past when they are over, too', async () => {
  say('nba-1', '90-88', { live: false, ended: true })
  const answer = await stream.connect().subscribe('scores', { game_slugs: ['nba-1'] })
  expect(pastOf(answer).map(scoreOf)).toEqual(['nba-1 90-88'])
})

test.each([
  ['free', {}, 20],
  ['starter', {}, 60],
  ['free', { snapshot_count: 50 }, 20],
  ['growth', { snapshot_count: 3 }, 3],
] as const)('the plan bounds the past: %s, %j', async (plan, wish, count) => {
  for (let game = 1; game <= 60; game++) say(`nba-${game}`, '0-0')
  const past = pastOf(await stream.connect(plan).subscribe('scores', wish)).map(scoreOf)
  expect(past).toHaveLength(count)
  expect(past.at(-1)).toBe('nba-60 0-0')
})

test('snapshot_count 0: no past and no message about it', async () => {
  say('nba-1', '0-0')
  const answer = await stream.connect().subscribe('scores', { snapshot_count: 0 })
  expect(answer.map(({ type }) => type)).toEqual(['subscribed'])
})

test('since_seq resumes after a score; where memory does not reach back, games are sent as they stand', async () => {
  say('nba-1', '0-0')
  say('nba-1', '2-0')
  const [first] = stream.ctx.scoreBus.replay({ afterSeq: 0 })
  say('nba-1', '2-2')
  const again = await stream.connect().subscribe('scores', { since_seq: first?.seq })
  expect(again[0]).toMatchObject({ resume: 'exact' })
  expect(pastOf(again).map(scoreOf)).toEqual(['nba-1 2-0', 'nba-1 2-2'])
  stream.clock.advance(6 * 60_000)
  const late = await stream.connect().subscribe('scores', { since_seq: first?.seq })
  expect(late[0]).toMatchObject({ resume: 'gap' })
  expect(pastOf(late).map(scoreOf)).toEqual(['nba-1 2-2'])
})

test('since: the changes after that time', async () => {
  say('nba-1', '0-0')
  const since = stream.clock.now()
  stream.clock.advance(1_000)
  say('nba-1', '2-0')
  expect(pastOf(await stream.connect().subscribe('scores', { since })).map(scoreOf)).toEqual(['nba-1 2-0'])
})

test('subscriptions stack, a score that several match is sent once, and each ends by its id', async () => {
  const client = stream.connect()
  const ids: unknown[] = []
  for (const filters of [{ leagues: ['nba'] }, { game_slugs: ['nba-1', 'epl-2'] }]) {
    const [answer] = await client.subscribe('scores', filters)
    ids.push(answer?.subscription_id)
  }
  await client.subscribe('trades', { snapshot_count: 0 })
  const publish = (score: string) => {
    for (const name of ['nba-1', 'nba-3', 'epl-2']) say(name, score)
    stream.bus.publish([draftOf('trade')])
    const messages = client.connection.take()
    return [...liveOf(messages), ...messages.filter(({ type }) => type === 'trade').map(() => 'trade')]
  }
  expect(publish('1')).toEqual(['nba-1 1', 'nba-3 1', 'epl-2 1', 'trade'])
  await client.say({ action: 'unsubscribe', subscription_id: ids[0] })
  expect(publish('2')).toEqual(['nba-1 2', 'epl-2 2', 'trade'])
  await client.say({ action: 'unsubscribe' })
  expect(publish('3')).toEqual([])
  expect(stream.hub.subscriptions.size).toBe(0)
})

test('all scores are no firehose, and count as prices do', async () => {
  const { connection, subscribe } = stream.connect('free')
  connection.firehosesLeft = 0
  await subscribe('scores', { snapshot_count: 0 })
  say('nba-1', '0-0')
  expect(connection.hasFirehose).toBe(false)
  expect(connection.metered.ws_market).toBeGreaterThan(100)
  expect(connection.metered.ws_onchain).toBe(0)
})

test('named event types replace them, unless scores are chosen too', async () => {
  say('nba-1', '0-0')
  const client = stream.connect()
  const other = await client.subscribe('scores', { event_types: ['trade'], snapshot_count: 0 })
  expect(other).toHaveLength(1)
  say('nba-1', '1-0')
  expect(client.connection.take()).toEqual([])
  await client.subscribe('scores', { event_types: ['trade'], leagues: ['nba'], snapshot_count: 0 })
  say('nba-1', '2-0')
  stream.bus.publish([draftOf('trade')])
  expect(client.connection.take().map(({ type }) => type)).toEqual(['score_update', 'trade'])
})
