import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tuneServer } from './server.js'

const megabytes = (setting: string | number | undefined): number => Number.parseInt(String(setting), 10)

test('leaves most of the memory to others, from the smallest machine to the largest', () => {
  fc.assert(
    fc.property(fc.integer({ min: 256, max: 1_000_000 }), (memoryMb) => {
      const settings = tuneServer(memoryMb * 1024 * 1024)
      expect(megabytes(settings.shared_buffers)).toBeLessThanOrEqual(Math.max(32, memoryMb / 4))
      expect(megabytes(settings.shared_buffers)).toBeGreaterThanOrEqual(32)
      expect(megabytes(settings.work_mem)).toBeGreaterThanOrEqual(4)
    }),
  )
})
