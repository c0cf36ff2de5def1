"""Reports and frames."""

import math

import pytest

import switchlab as sl


@pytest.fixture(scope="module")
def result():
    return sl.run("oq", "pim", ports=8, traffic="diagonal", load=[0.3, 1.0], slots=4000, replications=4)


def test_attributes_are_the_json(result):
    for report, found in zip(result, result.to_dict(), strict=True):
        assert (report.switch, report.ports, report.load) == (found["switch"], 8, found["load"])
        assert report.delay.mean == found["delay"]["mean"]
        assert report.delay.ci95 == found["delay"]["ci95"]
        assert [(p.percent, p.value) for p in report.delay.percentiles] == [
            (p["percent"], p["value"]) for p in found["delay"]["percentiles"]
        ]
        assert report.throughput.mean == found["throughput"]["mean"]
        assert report.backlog.end == found["backlog"]["end"]
        cells = report.cells
        assert cells.arrived == cells.departed + cells.dropped + cells.queued
        assert report.counters == found["counters"]
        assert report.verdict == found["verdict"] and report.evidence == found["evidence"]


def test_a_comparison_is_a_sequence(result):
    assert len(result) == 4
    assert [report.switch for report in result] == ["oq", "pim(iterations=1)"] * 2
    assert result[-1] == result[3] and len(result[1:3]) == 2
    assert "unstable" in repr(result[3])
    with pytest.raises(IndexError):
        result[4]


def test_the_first_is_what_others_are_compared_with(result):
    assert result[0].versus_first is None
    assert result[1].versus_first.mean == pytest.approx(result[1].delay.mean - result[0].delay.mean)


def test_pandas(result):
    pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert frame.shape[0] == 4 and frame["load"].tolist() == [0.3, 0.3, 1.0, 1.0]
    assert frame["switch"].tolist() == [report.switch for report in result]
    assert frame["delay"].tolist() == [report.delay.mean for report in result]
    assert frame["slots"].dtype.kind == "i" and frame["delay_ci95"].dtype.kind == "f"
    assert frame.columns.tolist() == result.to_csv().splitlines()[0].split(",")


def test_polars_and_arrow(result):
    pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame, table = result.to_polars(), result.to_arrow()
    assert frame["delay"].to_list() == [report.delay.mean for report in result]
    assert table.column("delay").to_pylist() == frame["delay"].to_list()
    assert table.column_names == frame.columns == list(result.columns())


def test_arrow_streams_are_read_by_others(result):
    pyarrow = pytest.importorskip("pyarrow")
    assert pyarrow.table(result).equals(result.to_arrow())


def test_missing_values_are_missing():
    pytest.importorskip("polars")
    pytest.importorskip("pandas")
    result = sl.run("oq", ports=4, load=0, slots=100, replications=2)
    assert result[0].delay.mean is None and result[0].delay.max is None
    assert math.isnan(result.to_pandas()["delay"][0])
    assert result.to_polars()["delay"][0] is None


def test_variables_are_columns():
    pytest.importorskip("pandas")
    result = sl.run("oq", ports=4, traffic="unbalanced(w={w})", load=0.5, vary={"w": [0, 1]}, slots=200, replications=2)
    assert result.to_pandas()["w"].tolist() == [0.0, 1.0]


def test_notebooks_show_table_and_chart(result):
    shown = result._repr_html_()
    assert shown.count("<tr>") == 5 and "<svg" in shown and "unstable" in shown
    one = sl.run("oq", ports=4, load=0.5, slots=500, replications=2)
    assert "<svg" in one._repr_html_()


def test_what_all_rows_share_stands_above_the_table():
    shown = sl.run("serena", "oq", ports=4, load=0.5, slots=500, replications=2)._repr_html_()
    assert "<p>4 ports, traffic uniform, load 0.5</p>" in shown and "<th" in shown and ">ports</th>" not in shown
    assert ">serena</td>" in shown


def test_html_is_escaped():
    from switchlab._results import notebook

    class Odd(sl.Comparison):
        def __init__(self):
            super().__init__(sl.run("oq", ports=2, load=0.1, slots=50, replications=2)._native)

        def columns(self):
            return {**super().columns(), "switch": ["<script>"]}

    assert "<script>" not in notebook(Odd()) and "&lt;script&gt;" in notebook(Odd())


def test_pictures_are_saved_in_the_format_of_the_name(result, tmp_path):
    picture = sl.plot(result, y="throughput")
    assert picture._repr_svg_() == picture.svg
    assert picture.save(tmp_path / "p.svg").read_text() == picture.svg
    with pytest.raises(ValueError, match="extension"):
        picture.save(tmp_path / "p.gif")


def test_kinds_of_pictures(result):
    one = sl.run("oq", "islip", ports=4, load=0.5, slots=1000, replications=2, occupancy=True)
    drawn = {kind: sl.plot(one, kind=kind).svg for kind in ("curve", "ccdf", "backlog", "matrix", "voq")}
    assert len(set(drawn.values())) == 5
    with pytest.raises(ValueError, match="kind is"):
        sl.plot(one, kind="pie")
    assert sl.plot(result, only={"load": 0.3}).svg != sl.plot(result).svg
    assert "My switch" in sl.plot(result, labels={"oq": "My switch"}).svg


def test_results_do_not_depend_on_threads():
    asked = {"ports": 8, "load": 0.8, "slots": 3000, "replications": 5}
    assert sl.run("serena", threads=1, **asked).to_json() == sl.run("serena", threads=4, **asked).to_json()
