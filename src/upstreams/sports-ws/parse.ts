import { MILLISECONDS_MIN } from '../../core/unix-time.js'
import {
  type JsonFields,
  ParseError,
  type Parser,
  parseBoolean,
  parseEncoded,
  parseFields,
  parseId,
  parseString,
  parseTimeMs,
  refuseValue,
} from '../transport/parse-json.js'

/** The newest state of one game. Only a name of the game, its id or its slug, is always there. */
export type ScoreMessage = ReturnType<typeof parseScore>

export type ScoreFrame = { kind: 'ping' } | { kind: 'scores'; scores: ScoreMessage[] }

/** Longer texts are no names, words or scores of a game. */
const TEXT_LENGTH_MAX = 200

/** `undefined`: an empty frame. Throws a ParseError on a malformed message. */
export function parseScoreFrame(text: string): ScoreFrame | undefined {
  const word = text.trim().toLowerCase()
  if (word === '' || word === 'pong') return undefined
  if (word === 'ping') return { kind: 'ping' }
  return parseEncoded(text, 'frame', (frame) => {
    const items = Array.isArray(frame) ? frame : [frame]
    const scores = items.map((item, index) => parseScore(item, `frame[${index}]`))
    return scores.length === 0 ? undefined : { kind: 'scores', scores }
  })
}

function parseScore(value: unknown, path: string) {
  const fields = parseFields(value, path)
  const gameId = fields.optional('gameId', parseName) ?? fields.optional('metadataGameId', parseName)
  const slug = fields.optional('slug', parseText)
  if (gameId === undefined && slug === undefined) {
    throw new ParseError(`${path} names no game: it has no gameId and no slug`, path)
  }
  return {
    gameId,
    slug,
    league: fields.optional('leagueAbbreviation', parseText)?.toLowerCase(),
    homeTeam: fields.optional('homeTeam', parseText),
    awayTeam: fields.optional('awayTeam', parseText),
    /** In the words and letter case of its sport: `InProgress`, `running`, `inprogress`. */
    status: fields.optional('status', parseText),
    score: fields.optional('score', parseText),
    period: fields.optional('period', parseText),
    elapsed: fields.optional('elapsed', parseText),
    live: fields.optional('live', parseBoolean),
    ended: fields.optional('ended', parseBoolean),
    /** The team that has the ball, in some sports. */
    turn: fields.optional('turn', parseText),
    updatedMs: fields.optional('last_update', parseMoment),
    finishedMs: parseFinishedMs(fields),
  }
}

/** Two spellings are sent. */
const parseFinishedMs = (fields: JsonFields): number | undefined =>
  fields.optional('finishedTimestamp', parseMoment) ?? fields.optional('finished_timestamp', parseMoment)

const parseText: Parser<string> = (value, path) => {
  const text = parseString(value, path)
  return text.length <= TEXT_LENGTH_MAX ? text : refuseValue(path, 'a short text', value)
}

const parseName: Parser<string> = (value, path) => parseText(parseId(value, path), path)

const MOMENT_MS_MIN = Date.UTC(2020, 0, 1)
const MOMENT_MS_MAX = Date.UTC(2100, 0, 1)

/** Unix time in milliseconds or seconds, as a number or as digits, or ISO text. */
function parseMoment(value: unknown, path: string): number {
  const ms = DIGITS.test(String(value)) ? toMs(Number(value)) : parseTimeMs(value, path)
  return ms >= MOMENT_MS_MIN && ms < MOMENT_MS_MAX ? ms : refuseValue(path, 'a time', value)
}

const DIGITS = /^\d{9,14}$/

const toMs = (time: number): number => (time < MILLISECONDS_MIN ? time * 1000 : time)
