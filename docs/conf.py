"""How the pages become one site: `make docs`. Built offline; a warning is an error.

Formulas are drawn by MathJax, which a reader's browser fetches for pages that have some.
"""

from privet import __version__

project = "Privet"
author = "The Privet authors"
copyright = author  # noqa: A001  # the name under which Sphinx looks for it
release = version = __version__

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 3
myst_enable_extensions = ["deflist", "dollarmath"]

html_theme = "furo"
html_title = f"Privet {__version__}"
html_show_sourcelink = False
html_copy_source = False
