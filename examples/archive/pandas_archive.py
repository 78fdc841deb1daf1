"""An archive of Auspex as a pandas DataFrame, by way of pyarrow.

    python3 pandas_archive.py <folder of the archive> [--json]
"""
# %% One data set of all days, with the types of the files: decimals are exact, times have their zone.
import json
import sys

import pyarrow
import pyarrow.dataset

if len(sys.argv) < 2:
    sys.exit("Name the folder of an archive: auspex archive --to <folder> makes one")
fills = pyarrow.dataset.dataset(f"{sys.argv[1]}/table=fills", format="parquet", partitioning="hive")
types = {field.name: str(field.type) for field in fills.schema}

# %% Only these columns are read. A decimal of the file is one of Python, exact.
frame = fills.to_table(columns=["time", "side", "role", "usd", "shares", "wallet"]).to_pandas()
takers = frame[frame.role == "taker"]
volume = sum(takers.usd)

# %% Volume by hour.
by_hour = takers.groupby(takers.time.dt.floor("h")).usd.agg(["count", "sum"])

if "--json" in sys.argv:
    print(json.dumps({"types": types, "fills": len(frame), "volume_usd": str(volume), "zone": str(frame.time.dt.tz)}))
else:
    print(by_hour)
    print(f"{len(frame)} fills, {volume} USD taken")
