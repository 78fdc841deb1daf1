import { Link } from '@tanstack/react-router'
import { useApi } from '../api.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'

/** Games that are being played, of the leagues that have any. */
export function LiveGames() {
  const summary = useApi('/v2/sports/live', { everyMs: 60_000 })
  return (
    <Panel title="Games that are live" aside={<Link to="/sports">All games</Link>}>
      <Loaded
        query={summary}
        height={16}
        empty={{ is: ({ live_leagues: live }) => live.length === 0, text: 'No game is being played now.' }}
      >
        {({ live_leagues: leagues }) => leagues.map((league) => <LeagueGames key={league} league={league} />)}
      </Loaded>
    </Panel>
  )
}

function LeagueGames({ league }: { league: string }) {
  const games = useApi('/v2/sports/leagues/{league}/games', {
    path: { league },
    everyMs: 30_000,
  })
  return (
    <Loaded query={games} height={3}>
      {({ games: found }) => (
        <Table
          label={`Live games of ${league}`}
          rows={found.filter(({ live }) => live === true)}
          keyOf={({ slug }) => slug}
          columns={[
            {
              title: league.toUpperCase(),
              cell: ({ slug, title }) => (
                <Link to="/sports/games/$slug" params={{ slug }}>
                  {title}
                </Link>
              ),
              isText: true,
            },
            { title: 'Score', cell: ({ score }) => score ?? '–', isNumber: true },
            { title: 'Period', cell: ({ period, elapsed }) => [period, elapsed].filter(Boolean).join(' ') },
          ]}
        />
      )}
    </Loaded>
  )
}
