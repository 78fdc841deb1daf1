"""An archive of Auspex, read by Spark on this machine: a cluster reads it the same way.

    python3 spark_archive.py <folder of the archive> [--json]

It needs Java 17 or later.
"""
# %% Spark finds the days in the names of the folders, and the types in the files.
import json
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

if len(sys.argv) < 2:
    sys.exit("Name the folder of an archive: auspex archive --to <folder> makes one")
spark = (
    SparkSession.builder.master("local[1]")
    .appName("auspex-archive")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.session.timeZone", "UTC")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
fills = spark.read.parquet(f"{sys.argv[1]}/table=fills")
wallets = spark.read.parquet(f"{sys.argv[1]}/table=wallets")

# %% Volume by day. A filter on `day` reads the folders of these days alone.
by_day = (
    fills.where("role = 'taker'")
    .groupBy("day")
    .agg(f.count("*").alias("trades"), f.sum("usd").alias("volume_usd"))
    .orderBy("day")
)

# %% Keys join fastest: a wallet is a number here, and 20 bytes where it is named.
makers = (
    fills.where("role = 'maker'")
    .join(wallets.select("wallet_key", "wallet_bytes"), "wallet_key")
    .groupBy(f.lower(f.hex("wallet_bytes")).alias("wallet"))
    .agg(f.sum("usd").alias("volume_usd"))
    .orderBy(f.desc("volume_usd"), "wallet")
    .limit(5)
)

if "--json" in sys.argv:
    print(
        json.dumps(
            {
                "types": {name: kind for name, kind in fills.dtypes},
                "by_day": [row.asDict() for row in by_day.collect()],
                "makers": [row.asDict() for row in makers.collect()],
            },
            default=str,
        )
    )
else:
    by_day.show()
    makers.show(truncate=False)
spark.stop()
