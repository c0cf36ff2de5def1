"""Pages, papers, matchings."""

from pathlib import Path

import pytest

import switchlab as sl

PAPERS = Path(__file__).resolve().parents[3] / "papers"


def test_entries_have_parameters():
    islip = next(entry for entry in sl.list_switches() if entry.name == "islip")
    assert islip.parameters[0]["name"] == "iterations" and islip.parameters[0]["default"] == "1"
    assert "hotspot" in [entry.name for entry in sl.list_traffic()]


def test_explain_knows_specs_and_files(tmp_path):
    assert sl.explain("islip(iterations=4)") == sl.explain("islip")
    file = tmp_path / "x.toml"
    file.write_text('title = "x"\nswitches = "oq"\nports = 4\nloads = 0.5\n')
    assert "oq" in sl.explain(str(file)) and sl.explain(str(file), quick=True)
    with pytest.raises(ValueError, match="did you mean islip"):
        sl.explain("islipp")
    with pytest.raises(ValueError, match="quick"):
        sl.explain("islip", quick=True)


def test_matchings():
    found = sl.match(([[1, 2, 3], [1, 2, 3], [1, 2, 3]], [[3, 2, 1], [1, 2, 3], [1, 2, 3]]), algorithm="gale-shapley")
    assert found.stable and sorted(row for row, _ in found.pairs) == [0, 1, 2]
    assert "stable" in str(found) and found.to_dict()["stable"] is True
    for wrong in (([[1, 2]], [[1]]), ([], []), "missing.csv"):
        with pytest.raises(ValueError):
            sl.match(wrong)
    with pytest.raises(ValueError, match="algorithm is"):
        sl.match(([[1]], [[1]]), algorithm="luck")


@pytest.mark.skipif(not PAPERS.is_dir(), reason="the papers are in the repository only")
def test_papers_are_judged_from_shipped_results(tmp_path):
    found = sl.reproduce("001", papers=PAPERS, out=tmp_path / "out")
    assert found.page.exists() and found.claims and "hold" in found.tally
    assert all(ruling for ruling, _ in found.claims.values())
    name = next(name for name, files in found.files.items() if any(file.suffix == ".svg" for file in files))
    assert "<svg" in found.figure(name).svg
    with pytest.raises(ValueError, match="there is no figure"):
        found.figure("nothing")


def test_papers_that_are_not_there(tmp_path):
    with pytest.raises(ValueError, match="papers"):
        sl.reproduce("001", papers=tmp_path / "missing", out=tmp_path / "out")


def test_limits_and_audits_are_sequences():
    found = sl.limit("tdm", "fifo", ports=4, precision=0.2, slots=3000, replications=2)
    assert [one["switch"] for one in found] == ["tdm", "fifo"] and len(found[0:1]) == 1
    assert len(found.columns()["switch"]) == 2 and "fifo" in str(found)
    audits = sl.audit("tdm", ports=4, load=0.5, slots=100, warmup=50)
    assert audits.passed and audits.to_dict()[0]["switch"] == "tdm"
    with pytest.raises(ValueError, match="precision"):
        sl.limit("oq", ports=4, precision=0)
