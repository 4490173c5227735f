"""Sphinx configuration: the site in docs/, built by `make docs` without network.

Nothing in the built pages comes from elsewhere: formulas are MathML, search is Sphinx's own.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

from svmsieve import __version__  # noqa: E402

project = "svmsieve"
author = "svmsieve developers"
copyright = "2026, svmsieve developers"
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "command_line",
    "gallery_pages",
    "mathml",
]
root_doc = "index"
exclude_patterns = [
    "_build",
    "_ext",
    "gallery/sg_execution_times.rst",
    "sg_execution_times.rst",
    "papers/results",
    "quality/ablation.md",  # a part of quality.md
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
templates_path = ["_templates"]
html_math_renderer = "mathml"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's sections have the types
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

html_theme = "pydata_sphinx_theme"
html_title = f"svmsieve {release}"
html_static_path = ["_static", "images"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "svmsieve"},
    "github_url": "https://github.com/svmsieve/svmsieve",
    "show_prev_next": False,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 7,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"start": []}


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"[\\/]plot_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "notebook_extensions": set(),
    "show_signature": False,
    "write_computation_times": False,  # docs/gallery-times.md has them, of cached examples too
    "abort_on_example_error": True,
    "thumbnail_size": (320, 224),
    "reset_modules": ("matplotlib", "gallery_pages.small_pictures"),
    "plot_gallery": "True",
    "inspect_global_variables": False,
    "nested_sections": False,
    "capture_repr": ("_repr_html_", "__repr__"),
}


def _everywhere_in_scikit_learn(app, what, name, member, skip, options):
    """Leave out what every estimator has; its docstrings link into scikit-learn's own pages."""
    plumbing = re.fullmatch(r"get_metadata_routing|[gs]et_params|set_output|set_\w+_request", name)
    return True if plumbing else skip


def setup(app):
    """Connect what is too small for an extension."""
    app.connect("autodoc-skip-member", _everywhere_in_scikit_learn)
