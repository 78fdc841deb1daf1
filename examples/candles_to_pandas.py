"""The candles of an outcome token as a pandas DataFrame.

    python3 candles_to_pandas.py <token id> [--resolution 1m] [--csv candles.csv]
"""
import argparse
import os
import sys

import pandas
import requests

COLUMNS = ["time", "open", "high", "low", "close", "volume_usd", "trades"]


def read_candles(url, key, token_id, resolution):
    """A row for each candle, by its time in UTC. Candles without a trade stay at the price before them."""
    reply = requests.get(
        f"{url}/v3/markets/{token_id}/candles",
        params={"resolution": resolution, "gap_fill": "true"},
        headers={"x-api-key": key},
        timeout=30,
    )
    if not reply.ok:
        sys.exit(reply.json()["error"])
    frame = pandas.DataFrame(reply.json()["candles"], columns=COLUMNS)
    frame["time"] = pandas.to_datetime(frame["time"], unit="s", utc=True)
    return frame.set_index("time")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("token_id")
    parser.add_argument("--resolution", default="1m", help="1m, 5m, 15m, 1h, 4h or 1d")
    parser.add_argument("--csv", help="writes the candles into this file too")
    options = parser.parse_args()
    url, key = os.environ.get("AUSPEX_URL"), os.environ.get("AUSPEX_KEY")
    if not url or not key:
        sys.exit("Set AUSPEX_URL and AUSPEX_KEY: see examples/README.md")

    candles = read_candles(url, key, options.token_id, options.resolution)
    candles["change"] = candles["close"].diff()
    candles["mean_5"] = candles["close"].rolling(5).mean()
    print(candles.tail(10).to_string())
    print(f"{len(candles)} candles, {candles['trades'].sum()} trades, ${candles['volume_usd'].sum():,.2f}")
    if options.csv:
        candles.to_csv(options.csv)


try:
    main()
except (requests.RequestException, OSError, KeyboardInterrupt) as error:
    sys.exit(str(error))
