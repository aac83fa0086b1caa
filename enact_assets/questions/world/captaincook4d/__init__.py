"""Step annotations of CaptainCook4D, which ship with the package under their MIT licence.

Source: github.com/CaptainCook4D/annotations (Peddi et al. 2024); LICENSE beside this file is
theirs.
"""

from pathlib import Path

NAME = "captaincook4d"
"""Name of the step file that every data root has."""
FOLDER = Path(__file__).parent
