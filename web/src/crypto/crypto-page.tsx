import { useSearch } from '@tanstack/react-router'
import { useApi } from '../api.js'
import { formatPrice } from '../format.js'
import { Choice, useSearchChoice } from '../parts/choice.js'
import { Loaded } from '../parts/loaded.js'
import { Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { MarketLink } from '../parts/values.js'
import { RunningWindow } from './running-window.js'
import { COINS, type Coin, findRunning, LENGTHS, type Length, oddsOf } from './windows.js'

const COIN_OPTIONS = Object.fromEntries(COINS.map((coin) => [coin, coin])) as Record<Coin, string>
const LENGTH_OPTIONS = Object.fromEntries(
  Object.entries(LENGTHS).map(([length, { title }]) => [length, title]),
) as Record<Length, string>

/** The up-or-down windows that run now: the price to beat, the ticks, and what the market thinks. */
export function CryptoPage() {
  const { coin = 'BTC', window: length = '5m' }: { coin?: Coin; window?: Length } = useSearch({
    strict: false,
  })
  const chooseCoin = useSearchChoice('coin')
  const chooseLength = useSearchChoice('window')
  const markets = useApi('/v1/crypto/markets', { everyMs: 5_000 })
  return (
    <>
      <h1>Crypto windows</h1>
      <div className="row">
        <Choice label="Coin" options={COIN_OPTIONS} value={coin} onChoose={chooseCoin} />
        <Choice
          label="Length of the window"
          options={LENGTH_OPTIONS}
          value={length}
          onChoose={chooseLength}
        />
      </div>
      <Loaded query={markets} height={30}>
        {({ events }) => {
          const event = findRunning(events, coin, length)
          return (
            <>
              {event === undefined ? (
                <p className="notice">
                  No {LENGTHS[length].title} window of {coin} is running now.
                </p>
              ) : (
                <RunningWindow key={event.slug} event={event} coin={coin} length={length} />
              )}
              <Panel title="What the markets say: chance of up">
                <Table
                  label="Chance of up"
                  rows={COINS}
                  keyOf={(each) => each}
                  columns={[
                    { title: 'Coin', cell: (each) => each },
                    ...(Object.keys(LENGTHS) as Length[]).map((each) => ({
                      title: LENGTHS[each].title,
                      cell: (of: Coin) => {
                        const found = findRunning(events, of, each)
                        const odds = oddsOf(found)
                        return found === undefined || odds === undefined ? (
                          '–'
                        ) : (
                          <MarketLink slug={found.slug} title={formatPrice(odds)} />
                        )
                      },
                      isNumber: true,
                    })),
                  ]}
                />
              </Panel>
            </>
          )
        }}
      </Loaded>
    </>
  )
}
