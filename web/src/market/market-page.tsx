import { Link, useParams } from '@tanstack/react-router'
import type { Row } from 'auspex-client'
import { useState } from 'react'
import { useApi } from '../api.js'
import { formatPrice, formatShortDollars } from '../format.js'
import { Choice } from '../parts/choice.js'
import { Loaded } from '../parts/loaded.js'
import { Figure, Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { MarketLink, Time } from '../parts/values.js'
import { Book } from './book.js'
import { Candles } from './candles.js'
import { Holders } from './holders.js'
import { LiveTrades } from './live-trades.js'
import { Past } from './past.js'

type Market = Row<'/v3/markets/slug/{slug}'>

export function MarketPage() {
  const { slug } = useParams({ from: '/markets/$slug' })
  const market = useApi('/v3/markets/slug/{slug}', { path: { slug }, everyMs: 30_000 })
  return (
    <Loaded
      query={market}
      height={30}
      title={slug}
      empty={{
        is: ({ data }) => data.length === 0,
        text: `There is no market ${slug}. It may be too new for the catalogue.`,
      }}
    >
      {({ data: [found] }) => found !== undefined && <MarketParts key={slug} market={found} slug={slug} />}
    </Loaded>
  )
}

function MarketParts({ market, slug }: { market: Market; slug: string }) {
  const [outcome, setOutcome] = useState(0)
  const [when, setWhen] = useState<'now' | 'past'>('now')
  const { token_ids: tokens, outcomes } = market
  const token = tokens[outcome]
  const names = Object.fromEntries(outcomes.map((name, index) => [String(index), name]))
  return (
    <>
      <div>
        <h1>{market.question ?? slug}</h1>
        <p className="row soft">
          {market.event_slug !== null && (
            <Link to="/events/$slug" params={{ slug: market.event_slug }}>
              {market.event_title ?? market.event_slug}
            </Link>
          )}
          {market.category !== null && <span className="badge">{market.category}</span>}
          <span className={market.closed ? 'badge' : 'badge live'}>{market.closed ? 'closed' : 'open'}</span>
        </p>
      </div>
      <MarketFigures market={market} token={token} />
      <div className="row">
        <Choice
          label="Outcome"
          options={names}
          value={String(outcome)}
          onChoose={(index) => setOutcome(Number(index))}
        />
        <Choice label="When" options={{ now: 'Now', past: 'Past' }} value={when} onChoose={setWhen} />
      </div>
      {token !== undefined && when === 'past' && (
        <Past token={token} slug={slug} outcome={outcomes[outcome] ?? ''} />
      )}
      {token !== undefined && when === 'now' && (
        <div className="grid wide-first">
          <Candles token={token} outcome={outcomes[outcome] ?? ''} />
          <Book token={token} isClosed={market.closed} />
        </div>
      )}
      {when === 'now' && <LiveTrades slug={slug} />}
      <div className="grid">
        <Holders slug={slug} tokens={tokens} outcomes={outcomes} />
        <Resolution market={market} />
      </div>
      {market.event_slug !== null && <Related eventSlug={market.event_slug} slug={slug} />}
    </>
  )
}

/** Where a price comes from. */
const SOURCES: Record<string, string> = {
  clob_mid: 'middle of the order book',
  last_fill: 'of the last trade',
  resolved: 'by the result',
}

function MarketFigures({ market, token }: { market: Market; token: string | undefined }) {
  const price = useApi('/v3/markets/{token_id}/price', {
    path: { token_id: token ?? '' },
    isWanted: token !== undefined,
    everyMs: 5_000,
  })
  return (
    <dl className="figures">
      <Figure title="Price" note={SOURCES[price.data?.source ?? '']}>
        {price.data === undefined ? '–' : formatPrice(price.data.price)}
      </Figure>
      <Figure title="Volume">{formatShortDollars(Number(market.volume_all_time))}</Figure>
      <Figure title="In the order book">{formatShortDollars(Number(market.liquidity))}</Figure>
      <Figure title="Ends">{market.end_date === null ? '–' : <Time at={market.end_date} />}</Figure>
    </dl>
  )
}

function Resolution({ market }: { market: Market }) {
  const {
    condition_id: condition,
    outcomes,
    winning_outcome_index: winner,
    closed,
    neg_risk: negRisk,
  } = market
  const result = useApi('/v3/resolutions', {
    query: { condition_id: condition ?? '', limit: 1 },
    isWanted: condition !== null,
    everyMs: 30_000,
  })
  const [resolved] = result.data?.data ?? []
  return (
    <Panel title="Resolution and rules">
      <div className="inside">
        {resolved === undefined ? (
          <p>
            {closed
              ? 'Trading has ended; the chain has no result yet.'
              : 'Open: the chain has no result yet.'}
          </p>
        ) : (
          <p>
            Resolved <Time at={resolved.resolved_at} />:{' '}
            <strong>{winner === null ? 'split between outcomes' : outcomes[winner]}</strong>
          </p>
        )}
        <p className="soft">
          A share of the outcome that comes true pays $1.00, any other nothing.
          {negRisk && ' Only one market of this event can come true.'}
        </p>
        {market.slug !== null && <Rules slug={market.slug} />}
        {condition !== null && (
          <p className="soft">
            Condition <code>{condition}</code>
          </p>
        )}
      </div>
    </Panel>
  )
}

/** The platform's own text; `pre-line` keeps its paragraphs. */
function Rules({ slug }: { slug: string }) {
  const rules = useApi('/v3/markets/slug/{slug}/rules', { path: { slug } })
  return (
    <Loaded
      query={rules}
      height={6}
      empty={{ is: ({ rules: text }) => text === null, text: 'The platform gives no rules for this market.' }}
    >
      {({ rules: text, resolution_source: source, stale, as_of: asOf }) => (
        <>
          <h3>Rules</h3>
          <p className="rules">{text}</p>
          {source !== null && <p className="soft">Source: {source}</p>}
          {stale === true && asOf !== undefined && (
            <p className="soft">
              The platform does not answer now; this is its text of <Time at={asOf} />.
            </p>
          )}
        </>
      )}
    </Loaded>
  )
}

function Related({ eventSlug, slug }: { eventSlug: string; slug: string }) {
  const markets = useApi('/v3/markets', { query: { event_slug: eventSlug, limit: 20 } })
  return (
    <Panel
      title="Other markets of the event"
      aside={
        <Link to="/events/$slug" params={{ slug: eventSlug }}>
          All outcomes over time
        </Link>
      }
    >
      <Loaded
        query={markets}
        empty={{ is: ({ data }) => data.every((each) => each.slug === slug), text: 'It is the only one.' }}
      >
        {({ data }) => (
          <Table
            label="Other markets of the event"
            rows={data.filter((each) => each.slug !== slug)}
            keyOf={(each) => each.slug ?? ''}
            columns={[
              {
                title: 'Market',
                cell: (each) => <MarketLink slug={each.slug} title={each.question} />,
                isText: true,
              },
              {
                title: 'Volume',
                cell: (each) => formatShortDollars(Number(each.volume_all_time)),
                isNumber: true,
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}
