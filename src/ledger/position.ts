import type { Books, Position } from './books.js'

export const openPositions = (
  books: Books,
  wallet: number,
  tokens: readonly number[],
): Position[] => tokens.map((token) => books.position(wallet, token))

export function changeBalance(position: Position, change: bigint, timeSec: number): void {
  position.balance += change
  noteTime(position, timeSec)
}

export function noteTime(position: Position, timeSec: number): void {
  if (position.firstSec === 0 || timeSec < position.firstSec) position.firstSec = timeSec
  if (timeSec > position.lastSec) position.lastSec = timeSec
}
