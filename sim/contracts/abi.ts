import { utf8Hex, type Word, word } from './words.js'

/** A static argument is its words, a dynamic one the hex of its tail, which follows the offsets. */
export type Argument = Word | { tail: string }

/** ABI encoding of a tuple: static words in place, offsets for dynamic members, whose tails follow. */
export function encodeArguments(args: readonly Argument[]): string {
  let headDigits = 0
  for (const arg of args) headDigits += typeof arg === 'string' ? arg.length : 64
  let heads = ''
  let tails = ''
  for (const arg of args) {
    if (typeof arg === 'string') {
      heads += arg
    } else {
      heads += word((headDigits + tails.length) / 2)
      tails += arg.tail
    }
  }
  return heads + tails
}

/** `bytes`, from hex digits without 0x. */
export function bytesArgument(hex: string): Argument {
  const padded = hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')
  return { tail: word(hex.length / 2) + padded }
}

export function textArgument(text: string): Argument {
  return bytesArgument(utf8Hex(text))
}

/** An array of static members, a word each. */
export function arrayArgument(words: readonly Word[]): Argument {
  return { tail: word(words.length) + words.join('') }
}

/** An array of dynamic tuples, each given encoded. */
export function tupleArrayArgument(tuples: readonly string[]): Argument {
  return { tail: word(tuples.length) + encodeArguments(tuples.map((tail) => ({ tail }))) }
}
