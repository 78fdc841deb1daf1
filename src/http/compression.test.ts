import { createHook } from 'node:async_hooks'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { Compressor } from './compression.js'

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)(
  '%s: of many answers a few are compressed at a time, and all in the end',
  async (encoding, decompress) => {
    const compressor = new Compressor()
    let begun = 0
    const hook = createHook({
      init: (_id, type) => {
        if (type === 'ZLIB') begun++
      },
    }).enable()
    const bodies = Array.from({ length: 50 }, (_, index) => Buffer.alloc(20_000, `answer ${index} `))
    const compressing = bodies.map((body) => compressor.compress(encoding, body))
    expect(begun).toBe(4)
    const compressed = await Promise.all(compressing)
    hook.disable()
    expect(begun).toBe(bodies.length)
    const texts = compressed.map((bytes) => decompress(bytes).toString())
    expect(texts).toEqual(bodies.map(String))
  },
)
