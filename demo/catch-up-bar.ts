import type { OnCatchUp } from '../src/chain/jobs.js'
import { Progress } from '../src/lib/progress.js'

/** Shows how the history is taken in. */
export function createCatchUpBar(): { show: OnCatchUp; end(): void } {
  let bar: Progress | undefined
  return {
    show({ fromBlock, toBlock, block }) {
      bar ??= new Progress({ title: 'Ingesting', unit: 'blocks', total: toBlock + 1 - fromBlock })
      bar.show(block + 1 - fromBlock)
    },
    end: () => bar?.end(),
  }
}
