import type { GammaSport } from '../../upstreams/gamma/parse-sports.js'

/** What leagues are called elsewhere than in the list of leagues, without regard to capitals and `-`. */
const OTHER_NAMES: Record<string, readonly string[]> = {
  lol: ['leagueoflegends'],
  cs2: ['counterstrike', 'counterstrike2', 'csgo'],
  dota2: ['dota'],
  val: ['valorant'],
  mlbb: ['mobilelegends', 'mobilelegendsbangbang'],
  r6siege: ['rainbowsix', 'rainbowsixsiege'],
  codmw: ['callofduty', 'cod'],
  ncaab: ['cbb', 'collegebasketball'],
  cfb: ['ncaaf', 'collegefootball'],
  epl: ['premierleague', 'englishpremierleague'],
  lal: ['laliga'],
  bun: ['bundesliga'],
  sea: ['seriea'],
  fl1: ['ligue1'],
  ucl: ['championsleague', 'uefachampionsleague'],
  uel: ['europaleague', 'uefaeuropaleague'],
}

/** Finds the code of a league by any name of it. A name that no league has stays as it is. */
export function createLeagueNames(leagues: readonly GammaSport[]): (name: string) => string {
  const codes = new Map<string, string>()
  const add = (name: string, code: string) => {
    if (!codes.has(toPlain(name))) codes.set(toPlain(name), code)
  }
  for (const { sport } of leagues) add(sport, sport)
  for (const { sport, name = sport } of leagues) add(name, sport)
  for (const { sport } of leagues) for (const name of OTHER_NAMES[sport.toLowerCase()] ?? []) add(name, sport)
  return (name) => codes.get(toPlain(name)) ?? name
}

const toPlain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
