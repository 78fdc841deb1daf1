import { useState } from 'react'
import { useApi } from '../api.js'
import { formatCount } from '../format.js'
import { Loaded } from '../parts/loaded.js'
import { Figure, Panel } from '../parts/panel.js'
import { Gain } from '../parts/values.js'

/** What copying the wallet would have earned. Scoring takes a while, so only who wants it asks for it. */
export function CopyScore({ address }: { address: string }) {
  const [isWanted, setWanted] = useState(false)
  const score = useApi('/v2/copy-pnl/{wallet}', { path: { wallet: address }, isWanted })
  return (
    <Panel title="Would copying it have paid?">
      {isWanted ? (
        <Loaded query={score} height={5}>
          {(found) => (
            <dl className="figures inside">
              <Figure title="Earned by the wallet" note="30 days, cash flow">
                <Gain value={found.actual_pnl_usdc} />
              </Figure>
              <Figure title="Earned by copying" note={`${found.applied_filters.slippage} % worse prices`}>
                <Gain value={found.backtest_copy_pnl_usdc} />
              </Figure>
              <Figure title="Trades">{formatCount(found.trade_count)}</Figure>
              <Figure title="Verdict">{found.toxic_for_copying ? 'do not copy' : 'copyable'}</Figure>
            </dl>
          )}
        </Loaded>
      ) : (
        <p className="inside">
          <button type="button" onClick={() => setWanted(true)}>
            Compute the score of the last 30 days
          </button>
        </p>
      )}
    </Panel>
  )
}
