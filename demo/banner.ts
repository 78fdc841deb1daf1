import type { PlanId } from '../src/accounts/plans.js'
import { formatTable } from '../src/lib/table.js'
import type { SimProcess } from './simulator.js'

/** What the terminal shows once everything runs. The curl lines work when pasted. */
export function showBanner(
  url: string,
  keys: Record<PlanId, string>,
  simulator: Pick<SimProcess, 'url' | 'upstreams'> & { samples: Awaited<SimProcess['samples']> },
): string {
  const addresses = [
    ['REST', url],
    ['Docs', `${url}/docs`],
    ['Simulated upstreams', simulator.url],
  ]
  return `
Auspex is running. Ctrl-C stops everything.

${indent(formatTable(addresses))}

Keys:
${indent(formatTable(Object.entries(keys)))}

Try:
  curl -H 'x-api-key: ${keys.free}' ${url}/v1/crypto/active
  curl -H 'x-api-key: ${keys.growth}' '${url}/v1/crypto/candles?symbol=BTC'
  curl '${simulator.upstreams.gamma}/events/slug/${simulator.samples.event_slug}'
`
}

const indent = (text: string): string => text.replace(/^/gm, '  ')
