"""Formulas as MathML, which browsers draw themselves: no script, nothing fetched."""

from __future__ import annotations

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

LOG = logging.getLogger(__name__)


def _drawn(node: nodes.Node, as_block: bool) -> str:
    try:
        return tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        LOG.warning("formula %r: %s", node.astext(), error, location=node)
        return ""


def _inline(writer, node: nodes.math) -> None:
    writer.body.append(_drawn(node, as_block=False))
    raise nodes.SkipNode


def _block(writer, node: nodes.math_block) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(_drawn(node, as_block=True))
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app) -> ExtensionMetadata:
    """Register the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
