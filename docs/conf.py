# SPDX-License-Identifier: Apache-2.0
"""The documentation site. tools/docs.sh builds it: it makes the generated pages, pictures and the XML of
Doxygen first, and sets CROCO_VERSION, CROCO_XML and CROCO_PYTHON_SOURCE."""

import os
import sys

project = "croco"
author = "the authors of croco"
copyright = "the authors of croco; Apache-2.0"
version = release = os.environ["CROCO_VERSION"]

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["requirements.txt"]
root_doc = "index"

# Markdown: headings have the anchors that links of the repository use; tables, formulas and notes.
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline", "smartquotes"]
myst_heading_anchors = 4
suppress_warnings = [
    "myst.header",  # pages of the repository that begin with a level of their own
    "duplicate_declaration.cpp",  # every header opens the namespace croco
]

# C++: the public headers alone.
breathe_projects = {"croco": os.environ["CROCO_XML"]}
breathe_default_project = "croco"
breathe_show_include = False
cpp_id_attributes = ["CROCO_EXPORT"]

# Python: the sources as they are. The compiled module is replaced by a placeholder, so that the pages
# need no build of the package.
sys.path.insert(0, os.environ["CROCO_PYTHON_SOURCE"])
autodoc_mock_imports = ["croco._core"]
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}

# Everything on the pages comes from the site itself.
html_theme = "furo"
html_title = f"croco {release}"
html_static_path = ["_static"]
html_css_files = ["croco.css"]
html_favicon = "_static/croco.svg"
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b6e4f",
        "color-brand-content": "#0b6e4f",
        "font-stack": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif",
    },
    "dark_css_variables": {"color-brand-primary": "#5fd3a8", "color-brand-content": "#5fd3a8"},
    "navigation_with_keys": True,
}
html_show_sphinx = False
html_copy_source = False
html_last_updated_fmt = None
copybutton_exclude = ".linenos, .gp, .go"
highlight_language = "none"
