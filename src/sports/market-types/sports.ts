/** Sports that have kinds of markets of their own, and the codes of their leagues. */
const LEAGUES_BY_SPORT = {
  basketball: 'nba wnba ncaab cbb cwbb bkcba bkkbl euroleague',
  football: 'nfl cfb',
  baseball: 'mlb kbo wbc',
  hockey: 'nhl',
  soccer:
    'epl lal bun sea fl1 ere por tur mls mex bra bra2 ucl uel uef lib sud spl fif fifwc col col1 chi chi1 per1 bol1 egy1 rou1 cze1 den nor aus kor j1100 j2100 cdr itc dfb cde',
  tennis: 'atp wta itf',
  'table-tennis': '',
  cricket: 'ipl cricipl',
  mma: 'ufc',
  lol: 'lol',
  dota2: 'dota2',
  mlbb: 'mlbb',
  cs2: 'cs2',
  valorant: 'val',
  'rainbow-six': 'r6siege',
  'call-of-duty': 'codmw',
} as const satisfies Record<string, string>

export type Sport = keyof typeof LEAGUES_BY_SPORT

export const SPORT_NAMES = Object.keys(LEAGUES_BY_SPORT) as Sport[]

const SPORTS_BY_LEAGUE = new Map(
  SPORT_NAMES.flatMap((sport) => LEAGUES_BY_SPORT[sport].split(' ').map((league) => [league, sport])),
)

/** `undefined`: not a league whose sport is known. */
export const sportOfLeague = (league: string): Sport | undefined => SPORTS_BY_LEAGUE.get(league.toLowerCase())

const MOBAS: readonly Sport[] = ['lol', 'dota2', 'mlbb']
const SHOOTERS: readonly Sport[] = ['cs2', 'valorant', 'rainbow-six', 'call-of-duty']

/** Which sports a kind of market is for, by the first pattern that its code fits. */
const RULES: readonly [RegExp, readonly Sport[]][] = [
  [/^(soccer_|both_teams_to_score|total_goals|(total_)?corners|double_chance)/, ['soccer']],
  [/^(halftime_result|exact_score|goalscorers)/, ['soccer']],
  [/^table_tennis_/, ['table-tennis']],
  [/^tennis_/, ['tennis']],
  [/^cricket_/, ['cricket']],
  [/^ufc_/, ['mma']],
  [/^nhl_/, ['hockey']],
  [/^basketball_/, ['basketball']],
  [/^(points|rebounds|assists|threes|double_doubles)/, ['basketball']],
  [/^(passing|rushing|receiving)_|touchdowns|^receptions/, ['football']],
  [/^(hits|rbis|home_runs|nrfi)$/, ['baseball']],
  [/^q[1-4]_/, ['basketball', 'football']],
  [/^lol_/, ['lol']],
  [/^dota2_/, ['dota2']],
  [/^cs2_/, ['cs2']],
  [/^valorant_/, ['valorant']],
  [/^(moba_|kill_|first_blood)/, MOBAS],
  [/^(tower|barrack|inhibitor|drake|nashor)_/, MOBAS],
  [/^(shooter_|round_)/, SHOOTERS],
  [/^(map_|child_moneyline)/, [...MOBAS, ...SHOOTERS]],
]

/** `undefined`: for every sport. */
export const sportsOfType = (code: string): readonly Sport[] | undefined =>
  RULES.find(([pattern]) => pattern.test(code))?.[1]
