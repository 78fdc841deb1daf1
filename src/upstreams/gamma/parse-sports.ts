import {
  arrayOf,
  type Parser,
  parseFields,
  parseId,
  parseInteger,
  parseString,
} from '../transport/parse-json.js'

/** A team, or a player where players compete. */
export type GammaTeam = ReturnType<typeof parseTeam>

export function parseTeam(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseInteger),
    name: fields.optional('name', parseString),
    league: fields.optional('league', parseString),
    record: fields.optional('record', parseString),
    logo: fields.optional('logo', parseString),
    abbreviation: fields.optional('abbreviation', parseString),
    alias: fields.optional('alias', parseString),
    color: fields.optional('color', parseString),
    providerId: fields.optional('providerId', parseInteger),
    // `home` or `away`, on the teams of an event.
    ordering: fields.optional('ordering', parseString),
  }
}

/** A league. Its `series` leads to its games; a league without one has them under its tags. */
export type GammaSport = ReturnType<typeof parseSport>

export function parseSport(value: unknown, path: string) {
  const fields = parseFields(value, path)
  return {
    id: fields.required('id', parseInteger),
    /** The code of the league, such as `nba`. */
    sport: fields.required('sport', parseString),
    name: fields.optional('name', parseString),
    image: fields.optional('image', parseString),
    resolution: fields.optional('resolution', parseString),
    ordering: fields.optional('ordering', parseString),
    tagIds: fields.optional('tags', parseTagIds) ?? [],
    primaryTagId: fields.optional('primaryTagId', parseId),
    series: fields.optional('series', parseId),
  }
}

/** `1,745,100639`. */
const parseTagIds = (value: unknown, path: string): string[] =>
  parseString(value, path)
    .split(',')
    .map((id) => id.trim())

/** The codes of all kinds of sports markets. */
export const parseMarketTypes: Parser<string[]> = (value, path) =>
  parseFields(value, path).required('marketTypes', arrayOf(parseString))
