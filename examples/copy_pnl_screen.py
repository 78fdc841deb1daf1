"""Which of the most profitable wallets would have been worth copying, at prices that are worse than theirs.

    python3 copy_pnl_screen.py [--top 20] [--days 30] [--slippage 2] [--to <Unix seconds>]
"""
import argparse
import os
import sys
import time

import requests


def ask(method, url, key, **request):
    reply = requests.request(method, url, headers={"x-api-key": key}, timeout=60, **request)
    if not reply.ok:
        sys.exit(reply.json()["error"])
    return reply.json()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--top", type=int, default=20, help="so many wallets of the leaderboard, at most 100")
    parser.add_argument("--days", type=int, default=30, help="the time that is scored, at most 180")
    parser.add_argument("--slippage", type=float, default=2, help="how much worse a copier trades, in percent")
    parser.add_argument("--to", type=int, default=int(time.time()), help="when it ends, in Unix seconds; now unless given")
    options = parser.parse_args()
    url, key = os.environ.get("AUSPEX_URL"), os.environ.get("AUSPEX_KEY")
    if not url or not key:
        sys.exit("Set AUSPEX_URL and AUSPEX_KEY: see examples/README.md")

    board = ask("GET", f"{url}/v3/leaderboard", key, params={"limit": options.top})["leaderboard"]
    window = {"from": options.to - options.days * 86_400, "to": options.to, "slippage": options.slippage}
    wallets = [row["wallet"] for row in board]
    answer = ask("POST", f"{url}/v2/copy-pnl/batch", key, json={"addresses": wallets, **window})
    # A wallet that could not be scored in time has an error in place of its score.
    scores = [score for score in answer["results"] if "error" not in score]

    print(f"{len(scores)} of {len(wallets)} wallets over {options.days} days: profit, that of a copier, trades")
    for score in sorted(scores, key=lambda score: -score["backtest_copy_pnl_usdc"]):
        pnl, copied = score["actual_pnl_usdc"], score["backtest_copy_pnl_usdc"]
        verdict = "toxic" if score["toxic_for_copying"] else ""
        print(f"{score['wallet']}  {pnl:12.2f}  {copied:12.2f}  {score['trade_count']:6}  {verdict}".rstrip())


try:
    main()
except (requests.RequestException, KeyboardInterrupt) as error:
    sys.exit(str(error))
