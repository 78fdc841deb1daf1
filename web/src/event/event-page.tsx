import { useQueries } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Answer, Row } from 'auspex-client'
import { useMemo } from 'react'
import { auspex, useApi } from '../api.js'
import { LazyChart } from '../charts/lazy-chart.js'
import { Legend } from '../charts/legend.js'
import type { Series } from '../charts/time-chart.js'
import { formatPrice, formatShortDollars } from '../format.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { MarketLink, Time } from '../parts/values.js'

type Market = Row<'/v3/markets'>

/** As many lines as the eye can tell apart. */
const LINES_MAX = 8

export function EventPage() {
  const { slug } = useParams({ from: '/events/$slug' })
  const markets = useApi('/v3/markets', { query: { event_slug: slug, limit: 100 }, everyMs: 60_000 })
  return (
    <Loaded
      query={markets}
      height={30}
      title={slug}
      empty={{
        is: ({ data }) => data.length === 0,
        text: `There is no event ${slug}. It may be too new for the catalogue.`,
      }}
    >
      {({ data }) => (
        <>
          <h1>{data[0]?.event_title ?? slug}</h1>
          <OutcomesOverTime markets={data.slice(0, LINES_MAX)} />
          <Panel title={data.length === 1 ? 'The market' : `${data.length} markets`}>
            <Table
              label="Markets of the event"
              rows={data}
              keyOf={(market) => market.slug ?? market.condition_id ?? ''}
              columns={[
                {
                  title: 'Market',
                  cell: (market) => <MarketLink slug={market.slug} title={market.question} />,
                  isText: true,
                },
                {
                  title: 'Volume',
                  cell: (market) => formatShortDollars(Number(market.volume_all_time)),
                  isNumber: true,
                },
                {
                  title: 'In the book',
                  cell: (market) => formatShortDollars(Number(market.liquidity)),
                  isNumber: true,
                },
                { title: 'Ends', cell: ({ end_date: end }) => (end === null ? '–' : <Time at={end} />) },
                {
                  title: 'Result',
                  cell: ({ outcomes, winning_outcome_index: winner, closed }) =>
                    winner === null ? (closed ? 'pending' : 'open') : outcomes[winner],
                },
              ]}
            />
          </Panel>
        </>
      )}
    </Loaded>
  )
}

/** The first outcome of each market, which is mostly Yes. */
function OutcomesOverTime({ markets }: { markets: readonly Market[] }) {
  const answers = useQueries({
    queries: markets.flatMap(({ token_ids: [token] }) =>
      token === undefined
        ? []
        : [
            {
              queryKey: ['candles of an event', token],
              queryFn: () =>
                auspex.get('/v3/markets/{token_id}/candles', {
                  path: { token_id: token },
                  query: { resolution: '1h', limit: 300 },
                }),
            },
          ],
    ),
    combine: (results) => results.map(({ data }) => data),
  })
  const series = useMemo<Series[]>(
    () =>
      answers.map((answer: Answer<'/v3/markets/{token_id}/candles'> | undefined, index) => ({
        kind: 'line',
        colour: `series-${index + 1}`,
        points: (answer?.candles ?? []).map(({ time, close: value }) => ({ time, value })),
      })),
    [answers],
  )
  const legend = markets.map(({ question, slug, event_title: title }, index) => ({
    name: (question ?? slug ?? '').replace(`${title ?? ''}: `, ''),
    colour: `series-${index + 1}`,
  }))
  return (
    <Panel title="All outcomes over time">
      <LazyChart
        label={`Prices of ${legend.map(({ name }) => name).join(', ')}`}
        series={series}
        format={formatPrice}
      />
      <Legend entries={legend} />
    </Panel>
  )
}
