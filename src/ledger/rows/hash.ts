/** 32 bits of a whole number up to 2^53, well mixed: the last steps of MurmurHash3. */
export function hash(key: number): number {
  let mixed = (key | 0) ^ Math.imul(key / 2 ** 32, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
}
