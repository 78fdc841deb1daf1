import { Type } from 'typebox'
import { nullable } from '../lib/nullable.js'
import type { MessageFamily } from './block-facts.js'
import { closed, described, optional, Wire } from './message.js'

const text = (description: string) => nullable(Wire.Text, description)

/** Published by `scores`, whenever the score socket tells something new of a game. */
export const scoreUpdateFamily = {
  messages: [
    {
      type: 'score_update',
      summary: 'The state of a game changed: its score, its period, its clock, or that it is over.',
      examples: { 'A game is being played': { live: true }, 'A game is over': { ended: true } },
      isRare: true,
      meter: 'ws_market',
      schema: closed({
        type: Type.Literal('score_update'),
        source: described(Wire.Text, 'where the score comes from'),
        received_at: described(Wire.Ms, 'when this process heard it, in Unix milliseconds'),
        timestamp: described(Wire.Ms, 'when it was so, where the source says that; else `received_at`'),
        seq: Wire.Seq,
        data: closed({
          event_type: Type.Literal('score_update'),
          game_id: text('the id that the events of the game share'),
          slug: text('of the main event; null while it is not known'),
          league: text('code of the league, such as `nba`'),
          home_team: text('as the source writes it'),
          away_team: text('as the source writes it'),
          status: text('in the words of the sport: `InProgress`, `running`, `Final`, `F/OT`'),
          score: text('`<home>-<away>`; tennis `6-4, 3-2`; esports `007-005|1-0|Bo3`'),
          period: text('such as `2H`, `Q4`, `HT` or `FT`'),
          elapsed: text('clock of the game, `MM:SS`'),
          live: nullable(Type.Boolean(), 'it is being played'),
          ended: nullable(Type.Boolean(), 'it is over'),
          ...optional({
            turn: described(Wire.Text, 'the team that has the ball, in some sports'),
            finished_at: described(Wire.Ms, 'when it ended, in Unix milliseconds'),
          }),
        }),
      }),
    },
  ],
} as const satisfies MessageFamily
