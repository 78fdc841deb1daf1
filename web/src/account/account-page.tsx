import { useApi } from '../api.js'
import { formatBytes, formatCount, formatDuration } from '../format.js'
import { Loaded } from '../parts/loaded.js'
import { Figure, Panel } from '../parts/panel.js'
import { Table } from '../parts/table.js'
import { AccountTabs } from './account-tabs.js'
import { Keys } from './keys.js'
import { UsageByDay } from './usage-by-day.js'

export function AccountPage() {
  return (
    <>
      <h1>Account</h1>
      <AccountTabs />
      <Limits />
      <Keys />
      <Meters />
      <UsageByDay />
    </>
  )
}

function Limits() {
  const account = useApi('/v1/account', { everyMs: 5_000 })
  return (
    <Loaded query={account} height={14}>
      {({ id, name, plan, limits }) => (
        <>
          <dl className="figures">
            <Figure title="Account" note={id}>
              {name}
            </Figure>
            <Figure title="Plan">{plan.id}</Figure>
          </dl>
          <Panel title="Limits right now">
            <Table
              label="Limits"
              rows={limits}
              keyOf={({ name: bucket }) => bucket}
              columns={[
                {
                  title: 'What',
                  cell: ({ name: bucket, counts }) =>
                    `${LIMITS[bucket] ?? bucket}, ${counts === 'key' ? 'this key' : 'account'}`,
                  isText: true,
                },
                {
                  title: 'Limit',
                  cell: ({ limit }) => (limit === null ? 'none' : formatCount(limit)),
                  isNumber: true,
                },
                {
                  title: 'Remaining',
                  cell: ({ remaining }) => (remaining === null ? '–' : formatCount(remaining)),
                  isNumber: true,
                },
                {
                  title: 'Full again in',
                  cell: ({ resets_in_seconds: seconds }) =>
                    seconds === null ? '–' : formatDuration(seconds),
                  isNumber: true,
                },
              ]}
            />
          </Panel>
        </>
      )}
    </Loaded>
  )
}

const LIMITS: Record<string, string> = {
  rest: 'Requests a minute',
  v3: 'V3 requests a minute',
  v3_heavy: 'Heavy V3 requests a minute',
  social_rate: 'Social searches a second',
  search_online: 'Web searches in ten seconds',
  account_keys: 'Changes of keys',
  social_month: 'Social searches this month',
  event_connections: 'Event sockets',
  orderbook_connections: 'Order book sockets',
  firehose_connections: 'Sockets without a filter',
  replays: 'Replays',
  event_seconds: 'Seconds of event sockets today',
  orderbook_seconds: 'Seconds of order book sockets today',
  webhooks: 'Webhooks',
  webhook_deliveries: 'Deliveries of webhooks today',
  copy_pnl_wallets: 'Wallets in the copy-pnl pool',
  api_keys: 'API keys',
}

const METERS: Record<string, string> = {
  api_requests: 'API requests',
  ws_market: 'Prices and order books over sockets',
  ws_onchain: 'Events over sockets',
}

function Meters() {
  const usage = useApi('/v1/usage', { everyMs: 15_000 })
  return (
    <Panel title="This month">
      <Loaded query={usage} height={8}>
        {({ meters }) => (
          <div className="inside form">
            {meters.map(({ meter, unit, used, included }) => {
              const show = unit === 'bytes' ? formatBytes : formatCount
              const part = included === null ? 0 : Math.min(1, used / included)
              return (
                <div key={meter}>
                  <p className="row between">
                    <span>{METERS[meter] ?? meter}</span>
                    <span className="soft">
                      {show(used)} of {included === null ? 'unlimited' : show(included)}
                    </span>
                  </p>
                  <meter aria-label={METERS[meter] ?? meter} min={0} max={1} value={part}>
                    {Math.round(part * 100)} %
                  </meter>
                </div>
              )
            })}
          </div>
        )}
      </Loaded>
    </Panel>
  )
}
