"""Lines of a record that are lost, out of order or doubled are told; a record that ends early is not."""

import pickle
import re
import warnings
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svmsieve.runtime.journal import Journal
from svmsieve.selection.record import make_header
from tests.faults.counts import count, told

HEADER = make_header({"step": 1}, "data")


def read(file):
    """Return what the lines hold, in order, and the sentences of warnings."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        lines = Journal(file, HEADER).read()
    return sorted(line["value"] for line in lines), [str(each.message) for each in heard]


def interrupted_and_resumed(file):
    """Write a record in three sessions; return its lines, the header first."""
    for values in ((0, 1, 2), (3, 4), (5, 6, 7)):
        session = Journal(file, HEADER)
        session.read()
        for value in values:
            session.append({"value": value})
    return file.read_bytes().splitlines(keepends=True)


def damages(lines):
    """Yield every record with a line lost, moved by a swap or doubled; what is told; what is left."""
    n = len(lines)
    every = list(range(n - 1))
    for i in range(n - 1):  # the last one may not have been written
        yield (
            [*lines[:i], *lines[i + 1 :]],
            "a line is lost; what",
            [v for v in every if v != i - 1],
        )
    for first, last in combinations(range(n), 2):
        # how many is not known where the line that knew of the others is lost with them
        left = [v for v in every if not first <= v + 1 < last]
        yield [*lines[:first], *lines[last:]], r"(a line is|\d lines are) lost; what", left
    for i, j in combinations(range(n), 2):
        swapped = list(lines)
        swapped[i], swapped[j] = lines[j], lines[i]
        yield swapped, r"(a line is|\d lines are) out of order; the result", every
    for i, j in product(range(n), range(n + 1)):
        # a copy that comes first is the line, which then stands too early
        word = (
            r"a line is doubled; the"
            if j >= i
            else r"(lines? (is|are) out of order, )?a line is doubled; the"
        )
        yield [*lines[:j], lines[i], *lines[j:]], word, every


def test_every_lost_swapped_or_doubled_line_is_told_once(tmp_path):
    file = tmp_path / "run.jsonl"
    lines = interrupted_and_resumed(file)
    tried = 0
    for damaged, sentence, left in damages(lines):
        file.write_bytes(b"".join(damaged))
        values, heard = read(file)
        assert values == left
        assert len(heard) == 1
        assert re.search(
            rf"^checkpoint '{re.escape(str(file))}': .*{sentence}.* is the same\.$", heard[0]
        )
        assert read(file) == (left, [])
        tried += 1
    told(f"{tried} records with lines lost, swapped or doubled, all told")


def test_a_record_that_ends_early_is_nothing_to_tell(tmp_path):
    file = tmp_path / "run.jsonl"
    lines = interrupted_and_resumed(file)
    content = b"".join(lines)
    for end in range(len(lines[0]), len(content)):
        file.write_bytes(content[:end])
        whole = content[:end].count(b"\n") - 1
        assert read(file) == (list(range(whole)), [])


WRITES = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3)), min_size=1, max_size=8)


@pytest.mark.filterwarnings("error")
def test_writers_side_by_side_may_mix_their_lines_but_not_lose_them(tmp_path):
    file = tmp_path / "run.jsonl"

    @settings(max_examples=count(50, 500), derandomize=True, database=None, deadline=None)
    @given(sessions=st.lists(WRITES, min_size=1, max_size=3), data=st.data())
    def try_to_read(sessions, data):
        file.unlink(missing_ok=True)
        n = 0
        of = [None]  # the writer of each line
        for number, writes in enumerate(sessions):
            main = Journal(file, HEADER)
            assert len(main.read()) == n
            main.append()
            copies = [main, *(pickle.loads(pickle.dumps(main)) for _ in range(3))]
            for who, many in writes:
                for _ in range(many):
                    copies[who].append({"value": n})
                    of.append((number, who))
                    n += 1
        assert read(file) == (list(range(n)), [])
        content = file.read_bytes()
        lines = content.splitlines(keepends=True)
        lost = data.draw(st.integers(0, n))
        del lines[lost]
        file.write_bytes(b"".join(lines))
        values, heard = read(file)
        assert values == [value for value in range(n) if value != lost - 1]
        # Nobody knew of a line that is its writer's last, in the last session: it may not have been written.
        is_last = lost > 0 and of[lost] not in of[lost + 1 :] and of[lost][0] == len(sessions) - 1
        assert [": a line is lost" in each for each in heard] == [True] * (not is_last)

    try_to_read()


def test_a_record_that_went_through_windows_is_read(tmp_path):
    file = tmp_path / "run.jsonl"
    lines = interrupted_and_resumed(file)
    file.write_bytes(b"".join(lines).replace(b"\n", b"\r\n"))
    assert read(file) == (list(range(8)), [])
    session = Journal(file, HEADER)
    session.read()
    session.append({"value": 8})
    assert read(file) == (list(range(9)), [])
    content = file.read_bytes()
    for end in (1, 2, 3, 40):  # cut by a kill, between the two characters of a line's end, too
        file.write_bytes(content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")[:-end])
        assert read(file) == (list(range(8)), [])


@pytest.mark.parametrize("content", [b"\n", b"\r\n", b" \n\n"])
def test_a_record_of_blank_lines_is_an_empty_one(tmp_path, content):
    file = tmp_path / "run.jsonl"
    file.write_bytes(content)
    assert read(file) == ([], [])
    session = Journal(file, HEADER)
    session.read()
    session.append({"value": 0})
    assert read(file) == ([0], [])
    assert file.read_bytes().startswith(b'{"svmsieve"')


def test_where_the_file_cannot_be_written_anew_the_run_goes_on(tmp_path, monkeypatch):
    def refuse(part, path):
        raise PermissionError(13, "Permission denied", path)

    file = tmp_path / "run.jsonl"
    lines = interrupted_and_resumed(file)
    file.write_bytes(b"".join([*lines[:3], *lines[4:]]))
    monkeypatch.setattr("svmsieve.runtime.journal.os.replace", refuse)
    session = Journal(file, HEADER)
    with pytest.warns(UserWarning, match="a line is lost"):
        session.read()
    session.append({"value": 2})
    values, heard = read(file)
    assert values == list(range(8))
    assert len(heard) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["run.jsonl"]
