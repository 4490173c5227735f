"""Where data sets are downloaded from: the one place that knows the archives' addresses."""

from __future__ import annotations

from dataclasses import dataclass

OPENML = "https://www.openml.org"
UCI = "https://archive.ics.uci.edu"


@dataclass(frozen=True)
class OpenML:
    """A data set of OpenML, by name and version."""

    name: str
    version: int

    @property
    def search(self) -> str:
        """Address that tells the number of the data set."""
        return f"{OPENML}/api/v1/json/data/list/data_name/{self.name}/limit/2/data_version/{self.version}"

    @staticmethod
    def description(number: int) -> str:
        """Address of a data set's description, which names its file and checksum."""
        return f"{OPENML}/api/v1/json/data/{number}"

    @staticmethod
    def file(number: int) -> str:
        """Address of a file."""
        return f"{OPENML}/data/v1/download/{number}"

    def __str__(self) -> str:
        return f"OpenML, {self.name} version {self.version}"


@dataclass(frozen=True)
class Uci:
    """A data set of the UCI archive, by number and name of its zip file."""

    number: int
    name: str

    @property
    def archive(self) -> str:
        """Address of the zip file."""
        return f"{UCI}/static/public/{self.number}/{self.name}.zip"

    def __str__(self) -> str:
        return f"UCI, number {self.number}"


Source = OpenML | Uci
