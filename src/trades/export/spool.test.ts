import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Spool } from './spool.js'

const readAll = async (spool: Spool): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of spool.read()) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

describe('a spool', () => {
  test('gives every reader all bytes, whenever it begins', async () => {
    const sizes = fc.array(fc.nat(150_000), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(6), async (lengths, joinsAt) => {
        const written = lengths.map((length, index) => `${index}`.repeat(length))
        const spool = new Spool()
        const early = readAll(spool)
        let late: Promise<string> | undefined
        for (const [index, text] of written.entries()) {
          if (index === joinsAt) late = readAll(spool)
          await spool.append(Buffer.from(text))
        }
        spool.end()
        const whole = written.join('')
        expect(spool.bytes).toBe(Buffer.byteLength(whole))
        expect(await early).toBe(whole)
        expect(await (late ?? readAll(spool))).toBe(whole)
        spool.release()
      }),
      { numRuns: 20 },
    )
  })

  test('is not read once it is closed: another file may have its number', async () => {
    const spool = new Spool()
    spool.release()
    expect(() => spool.hold()).toThrow('closed')
    await expect(spool.read().next()).rejects.toThrow('closed')
  })

  test('fails its readers after what was written', async () => {
    const spool = new Spool()
    await spool.append(Buffer.from('abc'))
    const reader = spool.read()
    expect(String((await reader.next()).value)).toBe('abc')
    const next = reader.next()
    spool.fail(new Error('the disk is full'))
    await expect(next).rejects.toThrow('the disk is full')
    spool.release()
  })

  test('stays open for a reader after all others have released it', async () => {
    const spool = new Spool()
    await spool.append(Buffer.alloc(100_000, 'a'))
    spool.end()
    const reader = spool.read()
    await reader.next()
    spool.release()
    let bytes = 65_536
    for await (const chunk of reader) bytes += chunk.length
    expect(bytes).toBe(100_000)
  })
})
