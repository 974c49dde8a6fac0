# SPDX-License-Identifier: Apache-2.0
"""Dask's worker processes and Spark: the same answers for any number of partitions, and after a
worker was killed."""

import hashlib
import os
import pathlib
import shutil
import signal
import sys

import pandas as pd
import pytest
from applicants import SOURCE

import croco
from croco.distributed import PartExplainer, explain_dask, explain_spark

pytestmark = pytest.mark.slow


def digest(table):
    ordered = table.sort_values(["customer", "alternative"])
    return hashlib.sha256(ordered.to_csv(index=False).encode()).hexdigest()


@pytest.fixture(scope="module", autouse=True)
def importable():
    """Worker processes import the croco that is tested here."""
    path = str(pathlib.Path(croco.__file__).parents[1])
    before = {name: os.environ.get(name) for name in ("PYTHONPATH", "PYSPARK_PYTHON")}
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [path, before["PYTHONPATH"]]))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    yield
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


@pytest.fixture(scope="module")
def of_file(model_path):
    return croco.Explainer(model_path)


def many(german, count):
    """As many customers, with other ages than those of the data, so that they differ."""
    table = pd.concat([german] * -(-count // len(german)), ignore_index=True).head(count)
    return table.assign(customer=range(count), age=20 + table.index % 55)


@pytest.fixture(scope="module")
def customers(german):
    return many(german, 2000)


@pytest.fixture(scope="module")
def expected(of_file, customers):
    return digest(PartExplainer(of_file, id="customer")(customers))


@pytest.fixture(scope="module")
def client():
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")
    # A busy machine may take longer than 30 s to start a process.
    patience = {
        "distributed.comm.timeouts.connect": "180s",
        "distributed.comm.timeouts.tcp": "180s",
    }
    with dask.config.set(patience), distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    ) as cluster, distributed.Client(cluster) as client:  # fmt: skip
        yield client


@pytest.mark.parametrize("parts", [1, 4, 40])
def test_dask_with_two_processes(client, of_file, customers, expected, parts):
    dd = pytest.importorskip("dask.dataframe")
    table = explain_dask(dd.from_pandas(customers, npartitions=parts), of_file, id="customer")
    assert digest(table.compute()) == expected


def test_dask_after_a_worker_is_killed(client, of_file, customers, expected):
    dd = pytest.importorskip("dask.dataframe")
    distributed = pytest.importorskip("distributed")
    before = client.run(os.getpid)
    table = explain_dask(dd.from_pandas(customers, npartitions=40), of_file, id="customer")
    futures = client.compute(table.to_delayed())
    done = distributed.as_completed(futures)
    for _ in range(5):
        next(done)
    killed = next(iter(before.values()))
    os.kill(killed, signal.SIGKILL)
    parts = client.gather(futures)
    assert digest(pd.concat(parts)) == expected
    assert killed not in client.run(os.getpid).values()


@pytest.fixture(scope="module")
def spark():
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, and there is none")
    sql = pytest.importorskip("pyspark.sql")
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    yield session
    session.stop()


def test_spark_with_20000_rows(spark, of_file, german):
    table = many(german, 20_000)
    expected = digest(PartExplainer(of_file, id="customer", certificates=False)(table))
    sdf = spark.createDataFrame(table).repartition(13)
    out = explain_spark(sdf, of_file, id="customer", certificates=False)
    assert out.rdd.getNumPartitions() == 13
    frame = out.toPandas().astype({"target_met": "boolean", "confirmed": "boolean"})
    assert digest(frame) == expected


def test_the_recipe_for_spark(spark, of_file, german, tmp_path):
    """The lines of docs/howto/python-recipes.md, on folders of this test."""
    table = german.head(20).assign(customer=[f"C-{i:04}" for i in range(20)])
    spark.createDataFrame(table).write.parquet(str(tmp_path / "people"))
    page = (SOURCE / "docs" / "howto" / "python-recipes.md").read_text(encoding="utf-8")
    code = page.partition("```python spark\n")[2].partition("```")[0]
    for name in ("people", "advice"):
        assert f'"{name}"' in code
        code = code.replace(f'"{name}"', repr(str(tmp_path / name)))
    exec(code, {"spark": spark, "explainer": of_file})
    written = spark.read.parquet(str(tmp_path / "advice")).toPandas()
    assert sorted(written["customer"]) == sorted(table["customer"])


def test_spark_writes_text_ids_and_certificates(spark, of_file, german, tmp_path):
    table = german.head(40).assign(customer=[f"C-{i:04}" for i in range(40)])
    out = explain_spark(spark.createDataFrame(table), of_file, id="customer")
    out.write.parquet(str(tmp_path / "advice"))
    written = spark.read.parquet(str(tmp_path / "advice")).toPandas()
    here = PartExplainer(of_file, id="customer")(table)
    assert sorted(written["json"]) == sorted(here["json"])
    with pytest.raises(croco.DataError, match="sdf lacks the column 'costumer'; did you mean"):
        explain_spark(spark.createDataFrame(table), of_file, id="costumer")
