import { Type } from 'typebox'

const NullableText = Type.Union([Type.String(), Type.Null()])

/** In paths and parameters. */
export const LeagueCode = Type.String({
  pattern: '^[A-Za-z0-9_-]{1,40}$',
  description: 'the code of a league, `sport` of GET /v2/sports/leagues',
  examples: ['nba'],
})

export const League = Type.Object({
  id: Type.Integer(),
  sport: Type.String({ description: 'the code of the league, which other paths use' }),
  name: Type.Optional(Type.String()),
  image: Type.String(),
  resolution: Type.String({ description: 'where results are looked up' }),
  ordering: Type.String({
    description: 'which team titles and slugs have first: `home` or `away`',
  }),
  tags: Type.String({ description: 'ids of tags, with commas' }),
  series: Type.String({ description: 'the series of its games; empty when it has none' }),
  is_esports: Type.Boolean(),
})

/** A team, or a player where players compete. */
export const Team = Type.Object({
  id: Type.Integer(),
  name: NullableText,
  league: NullableText,
  record: { ...NullableText, description: 'won, lost and, in some leagues, drawn: `27-9-0`' },
  logo: NullableText,
  abbreviation: NullableText,
  alias: NullableText,
  color: NullableText,
  providerId: Type.Optional(Type.Integer()),
  ordering: Type.Optional(Type.String({ description: 'of a game: `home` or `away`' })),
})
