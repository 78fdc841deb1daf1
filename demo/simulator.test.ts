import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openState } from '../sim/state-file.js'
import { makeOpenFolder } from '../test/open-folder.js'
import { refuseServiceFolder, startSimulator } from './simulator.js'

let dataDir: string
beforeEach(() => {
  dataDir = makeOpenFolder('demo')
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const HOUR_MS = 3_600_000
const statePath = () => join(dataDir, 'sim.json')
const begin = () => openState({ seed: 3, historyMs: 12 * HOUR_MS, intensity: 1 }, statePath())

describe('a data folder', () => {
  test('with the database of a service is refused, an empty one and that of a demo are not', () => {
    refuseServiceFolder(dataDir)
    mkdirSync(join(dataDir, 'postgres/cluster'), { recursive: true })
    expect(() => refuseServiceFolder(dataDir)).toThrow(
      `The data folder ${dataDir} holds the database of a service, not of a demo.`,
    )
    expect(readdirSync(dataDir)).toEqual(['postgres'])
    writeFileSync(statePath(), '{}')
    refuseServiceFolder(dataDir)
  })

  test.each([
    ['another seed', { seed: 4 }, /holds the universe of seed 3\.\nContinue it with --seed 3/],
    [
      'another history',
      { seed: 3, history: HOUR_MS },
      /began with a history of 12h\.\nContinue it without --history/,
    ],
  ])('refuses a universe with %s', async (_what, flags, message) => {
    begin()
    await expect(startSimulator(dataDir, { speed: 1, ...flags })).rejects.toThrow(message)
  })

  test('has its universe from the first moment: a demo that is killed finds the same one', () => {
    const state = begin()
    expect(readdirSync(dataDir)).toEqual(['sim.json'])
    expect(begin()).toEqual(state)
    const other = openState({ seed: 4, historyMs: HOUR_MS, intensity: 1 }, statePath())
    expect(other).toMatchObject({ seed: 4, historyMs: HOUR_MS })
  })
})
