import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { dial } from '../prices/test-socket.js'
import { Faults } from '../server/faults.js'
import { type Host, openHost } from '../server/host.js'
import type { Game } from '../universe/games/game.js'
import { gameStateAt } from '../universe/games/game-state.js'
import { Universe } from '../universe/universe.js'
import { createSportsHost, type SportsHostOptions } from './host.js'
import { isUnnamed } from './score-message.js'

const START_MS = Date.UTC(2026, 10, 14, 18)
const MINUTE_MS = 60_000

type Frame = { gameId: number; slug?: string; score: string; live: boolean; ended: boolean } & {
  [field: string]: unknown
}

let universe: Universe
beforeAll(() => {
  universe = new Universe({ seed: 4, startMs: START_MS, intensity: 0.05, hasGames: true })
  universe.advance(START_MS + 60 * MINUTE_MS)
})
const hosts: Host[] = []
afterAll(() => Promise.all(hosts.map((host) => host.close())))

async function open(options: SportsHostOptions = {}) {
  const host = await openHost('sports_ws', new Faults(), createSportsHost(universe, options))
  hosts.push(host)
  const socket = await dial(`${host.wsUrl}/ws`)
  onTestFinished(() => socket.close())
  const frames = () => socket.frames.filter((text) => text !== 'ping').map((text): Frame => JSON.parse(text))
  return { host, socket, frames }
}

const liveGames = () => universe.games().filter((game) => universe.gameState(game).live)

test('a connection begins with the state of every game that is being played', async () => {
  const { socket, frames } = await open()
  const live = liveGames()
  expect(live.length).toBeGreaterThan(0)
  await socket.until(live.length)
  expect(frames().map(({ gameId }) => gameId)).toEqual(live.map(({ id }) => id))
  for (const frame of frames()) {
    const game = live.find(({ id }) => id === frame.gameId)
    expect(frame).toMatchObject({ leagueAbbreviation: game?.league.code, live: true, ended: false })
  }
})

test('then each change comes in order, the end of a game with its time, and the slug now and then', async () => {
  const { socket, frames } = await open()
  const ending = liveGames().reduce((first, game) => (game.endMs < first.endMs ? game : first))
  const fromMs = universe.nowMs
  universe.advance(ending.endMs + 2_000)
  const goals = ending.course.goals.filter(({ atMs }) => atMs > fromMs && atMs <= ending.endMs)
  const isFinal = (frame: Frame) => frame.gameId === ending.id && frame.ended
  while (!frames().some(isFinal)) await socket.until(socket.frames.length + 1)
  const own = frames().filter(({ gameId }) => gameId === ending.id)
  expect(new Set(own.map(({ score }) => score)).size).toBeGreaterThan(Math.min(1, goals.length))
  const final = own.at(-1)
  const finished = final?.finishedTimestamp ?? final?.finished_timestamp
  expect(new Date(finished as string | number).getTime()).toBe(ending.endMs)
  expect(final).toMatchObject(withoutEmpty(gameStateAt(ending, ending.endMs)))
  const isNamed = (game: Pick<Game, 'id'>) => frames().some((f) => f.gameId === game.id && f.slug)
  for (const game of liveGames()) expect(isNamed(game)).toBe(!isUnnamed(game))
})

const withoutEmpty = ({ status, score }: { status: string; score: string }) => ({ status, score })

test('a client that answers pings stays, one that does not is closed', async () => {
  const { socket } = await open({ pingMs: 10, pongMsMax: 60 })
  const answering = await dial(`${hosts.at(-1)?.wsUrl}/ws`)
  onTestFinished(() => answering.close())
  const timer = setInterval(() => answering.send('pong'), 5)
  onTestFinished(() => clearInterval(timer))
  expect(await socket.closed).toBe(1008)
  const count = answering.frames.length
  await answering.until(count + 2)
})

test('404 on another path', async () => {
  const { host } = await open()
  await expect(dial(host.wsUrl)).rejects.toThrow('404')
})
