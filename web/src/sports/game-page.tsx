import { useParams } from '@tanstack/react-router'
import type { Answer } from 'auspex-client'
import { useMemo, useState } from 'react'
import { useApi } from '../api.js'
import { LazyChart } from '../charts/lazy-chart.js'
import { Legend } from '../charts/legend.js'
import type { Series } from '../charts/time-chart.js'
import { formatPrice, formatShortDollars } from '../format.js'
import { Loaded } from '../parts/loaded.js'
import { Figure, Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { MarketLink, Time } from '../parts/values.js'

export function GamePage() {
  const { slug } = useParams({ from: '/sports/games/$slug' })
  const game = useApi('/v2/sports/games/{slug}', { path: { slug }, everyMs: 10_000 })
  return (
    <Loaded query={game} height={30} title={slug}>
      {({ title, status, score, period, elapsed, startTime, volume, markets, eventMetadata }) => (
        <>
          <div>
            <h1>{title}</h1>
            <p className="soft">{eventMetadata?.context_description}</p>
          </div>
          <dl className="figures">
            <Figure title="Score" note={[period, elapsed].filter(Boolean).join(' ')}>
              {score ?? '–'}
            </Figure>
            <Figure title="State">{status}</Figure>
            <Figure title="Starts">{startTime === null ? '–' : <Time at={startTime} />}</Figure>
            <Figure title="Volume">{formatShortDollars(volume ?? 0)}</Figure>
          </dl>
          <History slug={slug} markets={markets} />
          <Panel title="Markets">
            <Table
              label="Markets of the game"
              rows={markets}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Market',
                  cell: (market) => <MarketLink slug={market.slug} title={market.question} />,
                  isText: true,
                },
                { title: 'Kind', cell: ({ sportsMarketType: type }) => type ?? '–' },
                {
                  title: 'Prices',
                  cell: ({ outcomes, outcomePrices }) =>
                    outcomes
                      .map((name, index) => `${name} ${formatPrice(Number(outcomePrices?.[index] ?? 0))}`)
                      .join(' · '),
                },
                { title: 'Volume', cell: (market) => formatShortDollars(market.volume ?? 0), isNumber: true },
              ]}
            />
          </Panel>
          <Context slug={slug} />
        </>
      )}
    </Loaded>
  )
}

type GameMarket = Answer<'/v2/sports/games/{slug}'>['markets'][number]

/** Prices of the first outcomes of the game over time. */
function History({ slug, markets }: { slug: string; markets: readonly GameMarket[] }) {
  const nameOf = (token: string) => {
    const market = markets.find(({ clobTokenIds: tokens }) => tokens.includes(token))
    const outcome = market?.outcomes[market.clobTokenIds.indexOf(token)] ?? 'outcome'
    return `${market?.groupItemTitle ?? market?.question ?? ''}: ${outcome}`
  }
  const history = useApi('/v2/sports/games/{slug}/history', {
    path: { slug },
    query: { limit_tokens: 6, interval: '1d', fidelity: 5 },
    everyMs: 60_000,
  })
  const tokens = history.data?.tokens
  const series = useMemo<Series[]>(
    () =>
      (tokens ?? []).map(({ history: points }, index) => ({
        kind: 'line',
        colour: `series-${(index % 8) + 1}`,
        points: points.map(({ t: time, p: value }) => ({ time, value })),
      })),
    [tokens],
  )
  return (
    <Panel title="Prices over the last day">
      <Loaded
        query={history}
        height={22}
        empty={{ is: ({ count }) => count === 0, text: 'There is no price yet.' }}
      >
        {({ tokens: list }) => (
          <>
            <LazyChart label="Prices of the game's outcomes" series={series} format={formatPrice} />
            <Legend
              entries={list.map(({ token_id: token }, index) => ({
                name: nameOf(token),
                colour: `series-${(index % 8) + 1}`,
              }))}
            />
          </>
        )}
      </Loaded>
    </Panel>
  )
}

/** What people write about the game. It counts against the account's social quota, so only who wants it asks. */
function Context({ slug }: { slug: string }) {
  const [isWanted, setWanted] = useState(false)
  const context = useApi('/v2/sports/games/{slug}/context', { path: { slug }, isWanted })
  if (!isWanted) {
    return (
      <Panel title="What is written about it">
        <p className="inside">
          <button type="button" onClick={() => setWanted(true)}>
            Search the social network
          </button>{' '}
          <span className="soft">uses your monthly quota of social searches</span>
        </p>
      </Panel>
    )
  }
  return (
    <Panel title="What is written about it">
      <Loaded query={context} height={16}>
        {({ sources }) => (
          <Table
            label="Posts"
            rows={sources.social?.queries.flatMap(({ tweets }) => tweets ?? []) ?? []}
            keyOf={({ id }) => id}
            columns={[
              { title: 'Author', cell: ({ author }) => author?.name ?? '–' },
              { title: 'Post', cell: ({ text }) => text, isText: true },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}
