import { largestBuilder } from '../lists/builders.js'
import type { Request } from './explain-request.js'

export const EXPLAINED_BUILDERS: Request[] = [
  {
    title: '/v3/builders/{code}/trades',
    path: (world) => `/v3/builders/${largestBuilder(world)}/trades`,
  },
  {
    title: '/v3/builders/{code}/leaderboard',
    path: (world) => `/v3/builders/${largestBuilder(world)}/leaderboard`,
  },
]
