import { hash32, unit } from '../random.js'
import type { Team } from './game.js'

/** City, animal, and how slugs name the team. The animals are invented: no real club is meant. */
type TeamFacts = readonly [city: string, animal: string, abbreviation: string]

export const BASKETBALL: readonly TeamFacts[] = [
  ['Atlanta', 'Herons', 'atl'],
  ['Boston', 'Otters', 'bos'],
  ['Chicago', 'Badgers', 'chi'],
  ['Denver', 'Marmots', 'den'],
  ['Houston', 'Geckos', 'hou'],
  ['Miami', 'Manatees', 'mia'],
  ['New York', 'Magpies', 'nyk'],
  ['Orlando', 'Ospreys', 'orl'],
  ['Phoenix', 'Scorpions', 'phx'],
  ['Portland', 'Beavers', 'por'],
  ['Seattle', 'Walruses', 'sea'],
  ['Toronto', 'Moose', 'tor'],
]

export const FOOTBALL: readonly TeamFacts[] = [
  ['Baltimore', 'Foxes', 'bal'],
  ['Buffalo', 'Elks', 'buf'],
  ['Cleveland', 'Toads', 'cle'],
  ['Dallas', 'Armadillos', 'dal'],
  ['Detroit', 'Weasels', 'det'],
  ['Green Bay', 'Cranes', 'gb'],
  ['Kansas City', 'Mustelids', 'kc'],
  ['Las Vegas', 'Coyote Pups', 'lv'],
  ['Minnesota', 'Loons', 'min'],
  ['Pittsburgh', 'Ibexes', 'pit'],
]

export const HOCKEY: readonly TeamFacts[] = [
  ['Calgary', 'Caribou', 'cgy'],
  ['Edmonton', 'Ermines', 'edm'],
  ['Montreal', 'Puffins', 'mtl'],
  ['Nashville', 'Newts', 'nsh'],
  ['Ottawa', 'Owls', 'ott'],
  ['Quebec', 'Narwhals', 'que'],
  ['Vancouver', 'Belugas', 'van'],
  ['Winnipeg', 'Wolverines', 'wpg'],
]

export const ENGLISH_SOCCER: readonly TeamFacts[] = [
  ['Birmingham', 'Herons', 'bir'],
  ['Brighton', 'Plovers', 'bha'],
  ['Bristol', 'Terns', 'bri'],
  ['Leeds', 'Kestrels', 'lee'],
  ['Liverpool', 'Cormorants', 'lip'],
  ['London', 'Starlings', 'ldn'],
  ['Manchester', 'Swifts', 'mns'],
  ['Newcastle', 'Curlews', 'ncs'],
  ['Sheffield', 'Stoats', 'shf'],
  ['Southampton', 'Dunlins', 'stn'],
]

export const AMERICAN_SOCCER: readonly TeamFacts[] = [
  ['Austin', 'Grackles', 'aus'],
  ['Chicago', 'Sandpipers', 'chs'],
  ['Columbus', 'Skunks', 'clb'],
  ['Nashville', 'Mockingbirds', 'nmb'],
  ['Portland', 'Slugs', 'pdx'],
  ['San Diego', 'Grunions', 'sdg'],
  ['Seattle', 'Octopuses', 'sxo'],
  ['Vancouver', 'Herrings', 'vwh'],
]

export const SHOOTERS: readonly TeamFacts[] = [
  ['Berlin', 'Pixel Moths', 'pixm'],
  ['Copenhagen', 'Night Crabs', 'ncrab'],
  ['Helsinki', 'Static', 'stat'],
  ['Kyiv', 'Amber Wasps', 'wasp'],
  ['Lisbon', 'Quiet Storks', 'stork'],
  ['Paris', 'Null Pointers', 'null'],
  ['Stockholm', 'Frost Mites', 'mite'],
  ['Warsaw', 'Copper Rats', 'crat'],
]

export const SUMMONERS: readonly TeamFacts[] = [
  ['Busan', 'Lantern Squids', 'squid'],
  ['Hanoi', 'Jade Geckos', 'jade'],
  ['Madrid', 'Paper Owls', 'powl'],
  ['Seoul', 'Velvet Carps', 'carp'],
  ['Shanghai', 'Ink Cranes', 'inkc'],
  ['Taipei', 'Tea Beetles', 'teab'],
]

/** `usesCity`: titles name the club as a whole and not the animal alone. */
export function buildTeams(
  league: string,
  idBase: number,
  facts: readonly TeamFacts[],
  usesCity: boolean,
): Team[] {
  return facts.map(([city, animal, abbreviation], index) => ({
    ...buildTeam(league, idBase + index),
    name: usesCity ? `${city} ${animal}` : animal,
    abbreviation,
    alias: usesCity ? animal : `${city} ${animal}`,
  }))
}

const ONSETS = ['Bal', 'Cor', 'Dra', 'Fen', 'Gar', 'Hol', 'Jan', 'Kar', 'Lin', 'Mar', 'Nov', 'Pet']
const ENDINGS = ['berg', 'dahl', 'elli', 'enko', 'etti', 'ez', 'ides', 'kvist', 'ovic', 'son', 'uk']
const FIRST_NAMES = ['Ada', 'Bo', 'Cleo', 'Dario', 'Eli', 'Fyn', 'Gael', 'Hana', 'Ivo', 'Juno']

/** At most as many as there are pairs of a beginning and an ending: 132. */
const surname = (index: number): string =>
  `${ONSETS[index % ONSETS.length]}${ENDINGS[Math.floor(index / ONSETS.length) % ENDINGS.length]}`

const fullName = (index: number): string =>
  `${FIRST_NAMES[(index * 7 + 3) % FIRST_NAMES.length]} ${surname(index)}`

/** Players who compete for themselves. `skipped` surnames belong to another league. */
export function buildPlayers(league: string, idBase: number, count: number, skipped: number): Team[] {
  return Array.from({ length: count }, (_, index) => ({
    ...buildTeam(league, idBase + index),
    name: fullName(index + skipped),
    abbreviation: surname(index + skipped).toLowerCase(),
    alias: surname(index + skipped),
  }))
}

/** A player of a team, 0 being its best. No two of a team share a name. */
export const playerName = ({ id }: Team, player: number): string =>
  fullName((hash32(id, 231) + player * 17) % (ONSETS.length * ENDINGS.length))

function buildTeam(league: string, id: number) {
  const wins = hash32(id, 232) % 30
  const losses = hash32(id, 233) % 30
  return {
    id,
    league,
    record: `${wins}-${losses}`,
    color: `#${(hash32(id, 234) & 0xffffff).toString(16).padStart(6, '0').toUpperCase()}`,
    logo: `https://polymarket-upload.s3.us-east-2.amazonaws.com/teams/${league}-${id}.png`,
    providerId: 700_000 + id,
    strength: unit(id, 235),
  }
}
