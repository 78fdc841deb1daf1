import { Link, useSearch } from '@tanstack/react-router'
import { useApi } from '../api.js'
import { formatShortDollars } from '../format.js'
import { Choice, useSearchChoice } from '../parts/choice.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { Time } from '../parts/values.js'
import { moneylineOf } from './moneyline.js'

export function SportsPage() {
  const { league }: { league?: string } = useSearch({ strict: false })
  const leagues = useApi('/v2/sports/leagues')
  const choose = useSearchChoice('league')
  return (
    <>
      <h1>Sports</h1>
      <Loaded
        query={leagues}
        height={30}
        empty={{ is: ({ count }) => count === 0, text: 'No league is known yet.' }}
      >
        {({ leagues: list }) => {
          const shown = league ?? list[0]?.sport ?? ''
          return (
            <>
              <Choice
                label="League"
                options={Object.fromEntries(
                  list.map(({ sport, name }) => [sport, name ?? sport.toUpperCase()]),
                )}
                value={shown}
                onChoose={choose}
              />
              <Games league={shown} />
            </>
          )
        }}
      </Loaded>
    </>
  )
}

function Games({ league }: { league: string }) {
  const games = useApi('/v2/sports/leagues/{league}/games', {
    path: { league },
    query: { direction: 'asc' },
    everyMs: 15_000,
  })
  return (
    <Panel title="Games">
      <Loaded
        query={games}
        height={24}
        empty={{ is: ({ count }) => count === 0, text: 'No game is planned.' }}
      >
        {({ games: list, stale }) => (
          <>
            {stale && <p className="notice">The platform does not answer: this is its last good answer.</p>}
            <Table
              label="Games"
              rows={list}
              keyOf={({ slug }) => slug}
              columns={[
                {
                  title: 'Game',
                  cell: ({ slug, title }) => (
                    <Link to="/sports/games/$slug" params={{ slug }}>
                      {title}
                    </Link>
                  ),
                  isText: true,
                },
                {
                  title: 'Starts',
                  cell: ({ startTime }) => (startTime === null ? '–' : <Time at={startTime} />),
                },
                {
                  title: 'Score',
                  cell: ({ score, live, period }) =>
                    score === null ? (
                      '–'
                    ) : (
                      <span className={live ? 'up' : ''}>
                        {[score, live ? period : null].filter(Boolean).join(' · ')}
                      </span>
                    ),
                },
                { title: 'Prices', cell: (game) => moneylineOf(game.markets) },
                { title: 'Volume', cell: ({ volume }) => formatShortDollars(volume ?? 0), isNumber: true },
              ]}
            />
          </>
        )}
      </Loaded>
    </Panel>
  )
}
