import { expect, test } from 'vitest'
import { parseTeam } from '../../upstreams/gamma/parse-sports.js'
import { matchTeams, toSearchable } from './find-teams.js'

const teams = [
  { id: 1, name: 'Hawks', alias: 'Atlanta', abbreviation: 'atl' },
  { id: 2, name: 'Seahawks', alias: 'Seattle', abbreviation: 'sea' },
  { id: 3, name: 'Atlético Madrid', abbreviation: 'atm' },
  { id: 4, name: 'Atlanta United FC', abbreviation: 'atl' },
  { id: 5, name: null, alias: '', abbreviation: 'x' },
].map((team) => toSearchable(parseTeam(team, 'team')))

test.each([
  ['hawks', [1]],
  ['HAW', [1]],
  ['atl', [1, 3, 4]],
  ['atlanta hawks', [1]],
  ['united atlanta', [4]],
  ['atletico', [3]],
  ['atl madrid', [3]],
  ['awks', []],
  ['🏀', []],
  ['.*', []],
])('%s finds %j', (q, ids) => {
  expect(matchTeams(teams, q, 20).map(({ id }) => id)).toEqual(ids)
})

test('no more than the limit', () => {
  expect(matchTeams(teams, 'atl', 2)).toHaveLength(2)
})
