import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import { Universe } from '../universe/universe.js'
import { createSearxngHost } from './host.js'

const START_MS = Date.UTC(2026, 10, 12)

const universe = new Universe({ seed: 9, startMs: START_MS })
const faults = new Faults()
let host: Host

beforeAll(async () => {
  universe.advance(START_MS + 600_000)
  host = await openHost('searxng', faults, createSearxngHost(universe, faults))
})
afterAll(() => host.close())
afterEach(() => faults.set({ upstream: 'searxng', mode: 'off' }))

type Result = { url: string; title: string; score: number; engines: string[]; positions: number[] }
type Found = {
  query: string
  results: Result[]
  answers: { answer: string }[]
  suggestions: string[]
  unresponsive_engines: [string, string][]
}

const title = () => universe.catalogue.events().find((event) => !event.window)?.title ?? ''

async function search(fields: Record<string, string>, path = '/search') {
  const query = new URLSearchParams({ format: 'json', ...fields })
  const reply = await fetch(`${host.url}${path}?${query}`, { redirect: 'manual' })
  const text = await reply.text()
  const body = reply.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text
  return { status: reply.status, body: body as Found }
}

test('pages about an event, the best first, each once with its positions in the engines', async () => {
  const { status, body } = await search({ q: title(), engines: 'bing,duckduckgo' })
  expect(status).toBe(200)
  expect(body.results[0]).toMatchObject({
    title: expect.stringContaining(title()),
    parsed_url: expect.arrayContaining(['https']),
    category: 'general',
  })
  expect(new Set(body.results.map(({ url }) => url)).size).toBe(body.results.length)
  expect(body.results.some(({ engines }) => engines.length === 2)).toBe(true)
  for (const { positions, score, engines } of body.results) {
    expect(positions).toHaveLength(engines.length)
    expect(score).toBe(positions.reduce((sum, at) => sum + positions.length / at, 0))
  }
  const scores = body.results.map(({ score }) => score)
  expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  expect(await search({ q: title(), engines: 'bing,duckduckgo' })).toEqual({ status, body })
})

test('a form is read like a query, and `/` like `/search`', async () => {
  const { body } = await search({ q: title() })
  const form = new URLSearchParams({ q: title(), format: 'json' })
  const posted = await fetch(`${host.url}/search`, { method: 'POST', body: form })
  expect(await posted.json()).toEqual(body)
  expect((await search({ q: title() }, '/')).body).toEqual(body)
})

test('engines that it does not know are ignored, bangs choose one or lead away', async () => {
  const engines = async (fields: Record<string, string>) => {
    const { body } = await search(fields)
    return [...new Set(body.results.flatMap((result) => result.engines))].sort()
  }
  expect(await engines({ q: title(), engines: 'brave,unheard' })).toEqual(['brave'])
  expect(await engines({ q: title(), engines: 'unheard' })).toHaveLength(3)
  expect(await engines({ q: `!bing ${title()}`, engines: 'brave' })).toEqual(['bing'])
  expect((await search({ q: `!!w ${title()}` })).status).toBe(302)
})

test('answers, older pages and further pages', async () => {
  const { body } = await search({ q: `when ${title()}` })
  expect(body.answers[0]?.answer).toMatch(/\d{4}-\d\d-\d\d$/)
  const recent = await search({ q: title(), time_range: 'day' })
  const all = await search({ q: title() })
  expect(recent.body.results.length).toBeLessThanOrEqual(all.body.results.length)
  expect((await search({ q: title(), pageno: '999' })).body.results).toEqual([])
})

describe('refusals', () => {
  test.each([
    [{}, 'No query'],
    [{ q: 'a', language: 'english' }, 'Invalid value "english" for parameter language'],
    [{ q: 'a', pageno: '0' }, 'Invalid value "0" for parameter pageno'],
    [{ q: 'a', safesearch: '3' }, 'Invalid value "3" for parameter safesearch'],
    [{ q: 'a', time_range: 'hour' }, 'Invalid value "hour" for parameter time_range'],
    [{ q: 'a', timeout_limit: '' }, 'Empty timeout_limit parameter'],
  ])('400 %j', async (fields, error) => {
    expect(await search(fields)).toEqual({ status: 400, body: { error } })
  })

  test('403 while the format is off, 404 elsewhere', async () => {
    faults.set({ upstream: 'searxng', mode: 'format-off' })
    expect((await search({ q: 'a' })).status).toBe(403)
    expect((await search({ q: 'a', format: 'html' })).status).toBe(200)
    expect((await search({ q: 'a' }, '/elsewhere')).status).toBe(404)
    expect(await (await fetch(`${host.url}/healthz`)).text()).toBe('OK')
  })
})

test('engines that do not answer are named, sorted, with the reason', async () => {
  faults.set({ upstream: 'searxng', mode: 'engine-down' })
  const one = await search({ q: title(), engines: 'duckduckgo,bing' })
  expect(one.body.unresponsive_engines).toEqual([['duckduckgo', 'CAPTCHA']])
  expect(one.body.results.length).toBeGreaterThan(0)
  faults.set({ upstream: 'searxng', mode: 'engines-down' })
  const all = await search({ q: title(), engines: 'duckduckgo,bing' })
  expect(all.body.unresponsive_engines).toEqual([
    ['bing', 'timeout'],
    ['duckduckgo', 'CAPTCHA'],
  ])
  expect(all.body.results).toEqual([])
})
