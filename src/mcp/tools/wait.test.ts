import { expect, test } from 'vitest'
import type { Fields } from '../../core/errors.js'
import { readEventExamples } from '../../events/registry.js'
import { waitTool } from './wait.js'

const examples = Object.values(readEventExamples()).flat()

test.each(examples.map(({ name, payload }) => [name, payload as Fields]))(
  '%s: the event fits into the smallest answer, and keeps type and number',
  async (_name, payload) => {
    const { rows } = await waitTool.run({
      args: {},
      ask: () => Promise.reject(new Error('it asks nothing')),
      watch: async () => ({ events: [payload], seq: 1, warnings: [] }),
    })
    expect(rows).toEqual([expect.objectContaining({ type: payload.type, seq: payload.seq })])
    expect(Buffer.byteLength(JSON.stringify(rows))).toBeLessThan(1_400)
  },
)
