import type { Tool } from './tool.js'
import { cryptoWindowsTool } from './tools/crypto.js'
import { gameContextTool, gamesTool, gameTool } from './tools/games.js'
import { marketsTool, marketTool, movesTool, searchTool } from './tools/markets.js'
import { waitTool } from './tools/wait.js'
import {
  compareTool,
  leaderboardTool,
  positionsTool,
  resolutionsTool,
  tradesTool,
  walletTool,
} from './tools/wallets.js'

/** Everything that models may call, in the order in which they are shown it. */
export const TOOLS: readonly Tool[] = [
  searchTool,
  marketTool,
  marketsTool,
  movesTool,
  resolutionsTool,
  walletTool,
  compareTool,
  positionsTool,
  tradesTool,
  leaderboardTool,
  gamesTool,
  gameTool,
  gameContextTool,
  cryptoWindowsTool,
  waitTool,
]
