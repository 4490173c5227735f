"""The rows of a search, or of a ranking, made ready: surveyed, scaled by themselves, some drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from svmsieve.engine.arrays import FloatArray
from svmsieve.engine.machines.target import TargetScale
from svmsieve.inputs.questions import asks_for_regression
from svmsieve.inputs.scaling import Scale
from svmsieve.inputs.target import make_target
from svmsieve.scale.chunks import Chunk, Chunks, PreparedChunks
from svmsieve.scale.first_pass import FirstPass
from svmsieve.scale.stream import Facts, Stream, row_sample

_DIGITS = 32
"""Binary digits of a centre and a spread: what rows in another order, or otherwise cut, change is beyond."""


@dataclass(frozen=True)
class Preparing:
    """How rows are made ready.

    Attributes
    ----------
    scale : standardise the columns
    impute : fill missing values with the means of their columns
    regression : whether the target is a number
    scale_target : standardise it
    n_landmarks, seed : of what is drawn
    """

    scale: bool
    impute: bool
    regression: bool
    scale_target: bool
    n_landmarks: int
    seed: int


@dataclass(frozen=True)
class SurveyedRows:
    """What two passes tell of some rows: their moments and labels, and a sample as it came."""

    survey: FirstPass
    raw: Chunk

    @classmethod
    def of(cls, chunks: Chunks, n_landmarks: int, seed: int) -> SurveyedRows:
        """Survey the rows in one pass, draw a sample in another."""
        return cls(FirstPass.of(chunks), row_sample(chunks, n_landmarks, seed))


@dataclass(frozen=True)
class PreparedRows:
    """Rows made ready for the Nyström machine.

    Attributes
    ----------
    stream : the rows, scaled, and what is drawn from them
    raw : the stream's sample as it came
    scale, target_scale : of the columns and the target, by these rows
    """

    stream: Stream
    raw: Chunk
    scale: Scale
    target_scale: TargetScale

    @classmethod
    def of(
        cls, chunks: Chunks, preparing: Preparing, known: SurveyedRows | None = None
    ) -> PreparedRows:
        """Make rows ready; two passes, where it is not known what they tell."""
        n_landmarks, seed = preparing.n_landmarks, preparing.seed
        known = SurveyedRows.of(chunks, n_landmarks, seed) if known is None else known
        survey, raw = known.survey, known.raw
        scale = rounded(
            survey.moments.scale(
                standardise=preparing.scale,
                impute=preparing.impute and not survey.sparse,
                sparse=survey.sparse,
            )
        )
        target_scale = TargetScale()
        if preparing.regression and preparing.scale_target:
            target_scale = _rounded_target(survey.target_scale())
        own = target_scale if preparing.regression else None
        prepared = PreparedChunks(chunks, scale, np.arange(chunks.n_features), own)
        facts = _facts(survey, scale, preparing.regression)
        stream = Stream.of_chunks(prepared, prepared.prepare(raw), facts, n_landmarks, seed)
        return cls(stream, raw, scale, target_scale)


def rounded(scale: Scale) -> Scale:
    """Return a scale that the order of the rows and their chunks do not change in its last digits.

    Any centre and spread near the columns' own would do; with these, landmarks are the same to the bit.
    """
    spread = _rounded(scale.deviation, scale.deviation)
    fill = None if scale.fill is None else _rounded(scale.fill, spread)
    return Scale(_rounded(scale.mean, spread), spread, fill)


def _rounded_target(scale: TargetScale) -> TargetScale:
    spread = _rounded(np.array([scale.deviation]), np.array([scale.deviation]))
    mean = _rounded(np.array([scale.mean]), spread)
    return TargetScale(float(mean[0]), float(spread[0]))


def _rounded(values: FloatArray, units: FloatArray) -> FloatArray:
    """Round to multiples of 2^−32 times the power of two above the units, where that is a number."""
    _, exponents = np.frexp(units)
    steps = np.ldexp(1.0, exponents - _DIGITS)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        found: FloatArray = np.round(values / steps) * steps
    return np.where(np.isfinite(found), found, values)


def _facts(survey: FirstPass, scale: Scale, regression: bool) -> Facts:
    """Return what the survey knows of the prepared rows."""
    moments, labels = survey.moments, survey.labels
    lower, upper = (edge - scale.mean for edge in (moments.lower, moments.upper))
    finite = np.isfinite(lower)  # a column that is missing everywhere is filled with zeros
    values = None if regression else labels.values
    return Facts(
        values,
        values,
        labels.counts,
        moments.weight,
        np.where(finite, lower, 0.0) / scale.deviation,
        np.where(finite, upper, 0.0) / scale.deviation,
    )


def is_regression(survey: FirstPass, criterion: Any, regressor: bool | None) -> bool:
    """Return whether the target is a number; refuse what can be neither that nor classes."""
    moments, labels = survey.moments, survey.labels
    if not moments.weight > 0.0:
        raise ValueError("sample_weight must not be zero for all samples.")
    if not moments.varies.any():
        raise ValueError("X must hold a column that varies; all of its columns are constant.")
    if regressor is None:
        regressor = labels.values is None or asks_for_regression(labels.values, criterion)
    if regressor and survey.target is None:
        raise ValueError("y must be numeric.")
    if not regressor:
        if labels.values is None:
            raise ValueError("y holds too many different values for classes; use an SVR.")
        make_target(labels.values, False, len(labels.values))  # refuses what are no classes
        if (labels.weights == 0.0).any():
            label = labels.values.tolist()[int(labels.weights.argmin())]
            raise ValueError(f"sample_weight must not be zero for a whole class: {label!r}.")
    return regressor
