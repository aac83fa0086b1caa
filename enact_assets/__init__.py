"""Lineage-aware pipeline for ENACT, a benchmark of embodied cognition for VLMs.

``__init__.pyi`` lists the public names, such as :func:`enact_assets.segment`.
"""

from enact_assets.engine.system.kernel_cache import place_kernels
from enact_assets.engine.system.public_names import names_by_need

__version__ = "0.2.0"
__getattr__, __dir__ = names_by_need(__name__, __file__, globals())

place_kernels()
