import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { expectOnlyParseErrors } from '../../../test/spoiled-objects.js'
import {
  parseEvent,
  parseFoundEvents,
  parseFoundProfiles,
  parseGammaMarket,
  parseProfile,
  parseSeries,
} from './parse.js'
import { parseMarketTypes, parseSport, parseTeam } from './parse-sports.js'
import { parseSportsSummary } from './parse-summary.js'

const fixture = (name: string) =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), 'utf8'))

describe('parseEvent', () => {
  const event = parseEvent(fixture('event'), 'body')

  test('reads times, numbers and what is inside', () => {
    expect(event).toMatchObject({
      id: '991001',
      slug: 'eth-updown-5m-1791000000',
      startDateMs: Date.UTC(2026, 9, 2, 4, 1, 10, 500),
      creationDateMs: Date.UTC(2026, 9, 2, 4, 1, 10, 500),
      endDateMs: Date.UTC(2026, 9, 3, 4, 5),
      closed: true,
      volume: 1234.5,
      eventMetadata: { priceToBeat: 3120.55, finalPrice: 3121.01 },
      gameId: undefined,
      teams: [],
    })
    expect(event.series).toMatchObject([{ id: '10683', recurrence: '5m' }])
    expect(event.tags.map(({ id }) => id)).toEqual(['21', '1312'])
  })

  test('puts the three encoded arrays of a market together', () => {
    expect(event.markets[0]?.tokens).toEqual([
      { tokenId: expect.stringMatching(/^5511/), outcome: 'Up', price: 0.515 },
      { tokenId: expect.stringMatching(/^9022/), outcome: 'Down', price: 0.485 },
    ])
    expect(event.markets[0]).toMatchObject({
      questionId: undefined,
      umaResolutionStatus: undefined,
      volume: 1234.5,
      closedTimeMs: Date.UTC(2026, 9, 3, 4, 6, 12),
      eventStartTimeMs: 1_791_000_000_000,
      feeRate: 0.07,
    })
  })

  test('leaves out markets that do not have two outcomes', () => {
    const json = fixture('event')
    const [market] = json.markets
    const others = ['["Bezos", "Musk", "Other"]', '["Yes"]', '[]', null].map((outcomes) => ({
      ...market,
      outcomes,
      clobTokenIds: null,
      outcomePrices: null,
    }))
    const read = parseEvent({ ...json, markets: [...others, market] }, 'body')
    expect(read.markets).toEqual(event.markets)
  })

  test('a field that is not read may be anything', () => {
    const malformed = { ...fixture('event'), commentCount: 'many', volume1wk: {}, negRiskFeeBips: [] }
    expect(parseEvent(malformed, 'body')).toEqual(event)
  })

  test('quotes the field that is wrong', () => {
    const broken = { ...fixture('event'), endDate: 'tomorrow' }
    expect(() => parseEvent(broken, 'body[7]')).toThrow('body[7].endDate must be a time, got "tomorrow"')
  })
})

describe('parseGammaMarket', () => {
  const json = fixture('market')

  test('reads ids that are numbers, strings that are numbers, and its events', () => {
    expect(parseGammaMarket(json, 'body')).toMatchObject({
      id: '512340',
      volume: 1000.25,
      liquidity: undefined,
      gameId: '20026001',
      gameStartTimeMs: Date.UTC(2026, 11, 10, 19),
      outcomes: ['Yes', 'No'],
      tokens: [
        { tokenId: '1001', outcome: 'Yes', price: 1 },
        { tokenId: '1002', outcome: 'No', price: 0 },
      ],
      events: [{ id: '31875', slug: 'fed-decision-in-december', gameId: '20026001' }],
    })
  })

  test('a market without tokens yet has outcomes all the same', () => {
    const early = { ...json, clobTokenIds: '', outcomePrices: null }
    expect(parseGammaMarket(early, 'body')).toMatchObject({ outcomes: ['Yes', 'No'], tokens: [] })
  })

  test.each([
    ['outcomes', '["Yes"]'],
    ['outcomePrices', '["1"]'],
  ])('refuses %s that do not fit the tokens', (name, value) => {
    expect(() => parseGammaMarket({ ...json, [name]: value }, 'body')).toThrow(
      `body.${name} must be one for each of 2 tokens`,
    )
  })

  test('the condition of a structured market has 31 bytes, and is padded', () => {
    const conditionId = `0x01${'0a'.repeat(30)}`
    const read = parseGammaMarket({ ...json, conditionId }, 'body')
    expect(read.conditionId).toBe(`${conditionId}00`)
    expect(() => parseGammaMarket({ ...json, conditionId: '0xab' }, 'body')).toThrow(
      'body.conditionId must be 0x and 62 or 64 hex digits',
    )
  })

  test('takes arrays that are not encoded', () => {
    const plain = { ...json, outcomes: ['Yes', 'No'], clobTokenIds: ['1001', '1002'] }
    expect(parseGammaMarket(plain, 'body')).toEqual(parseGammaMarket(json, 'body'))
  })
})

test('search: null is an empty list', () => {
  expect(parseFoundEvents(fixture('search'), 'body')).toMatchObject([{ id: '31875' }])
  expect(parseFoundProfiles(fixture('search'), 'body')).toEqual([])
})

test('sports, teams and profiles', () => {
  expect(fixture('sports').map(parseSport)).toMatchObject([
    { id: 34, sport: 'nba', series: '10345', tagIds: ['1', '745', '100639'] },
    { sport: 'epl', image: undefined },
  ])
  expect(fixture('teams').map(parseTeam)).toMatchObject([
    { id: 1001, providerId: 583, record: '45-37', alias: undefined },
  ])
  expect(parseProfile(fixture('profile'), 'body')).toMatchObject({ name: 'heron' })
})

test('whatever comes, nothing but a ParseError is thrown', () => {
  const parsers = [
    parseEvent,
    parseGammaMarket,
    parseSeries,
    parseTeam,
    parseSport,
    parseMarketTypes,
    parseSportsSummary,
    parseFoundEvents,
    parseProfile,
    parseFoundProfiles,
  ]
  const event = { ...fixture('event'), ...fixture('profile'), profiles: [] }
  const names = [...Object.keys(event), ...Object.keys(event.markets[0])]
  expectOnlyParseErrors(parsers, event, names)
})
