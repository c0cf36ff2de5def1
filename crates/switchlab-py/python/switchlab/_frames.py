"""Tables as frames of whichever library is installed."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

TEXTS = ("experiment", "switch", "traffic", "arrivals", "verdict")


class Tidy:
    """A tidy table: one row for each switch at each point, one column for each quantity."""

    def _tidy(self) -> tuple[str, str]:
        raise NotImplementedError

    def to_csv(self) -> str:
        """The table as CSV, as the program prints it with ``--csv``."""
        return self._tidy()[0]

    def columns(self) -> dict[str, list[Any]]:
        """The columns of the table as lists; None where there is no value."""
        text, records = self._tidy()
        names = next(csv.reader(io.StringIO(text)), [])
        rows = json.loads(records)
        return {name: [row.get(name) for row in rows] for name in names}

    def _arrays(self) -> dict[str, list[Any]]:
        """The columns, each of one kind: numbers that are missing become NaN in a column of floats."""
        nan = float("nan")

        def column(name: str, values: list[Any]) -> list[Any]:
            numbers = [value for value in values if value is not None]
            if len(numbers) < len(values) and name not in TEXTS and not any(isinstance(v, str) for v in numbers):
                return [nan if value is None else float(value) for value in values]
            return values

        return {name: column(name, values) for name, values in self.columns().items()}

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas frame."""
        import pandas

        return pandas.DataFrame(self._arrays())

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars frame; missing values are null."""
        import polars

        return polars.DataFrame(self.columns(), strict=False)

    def to_arrow(self) -> pyarrow.Table:
        """The table as an Arrow table; missing values are null."""
        import pyarrow

        return pyarrow.table(self.columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table for every library that reads Arrow streams; needs pyarrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)
