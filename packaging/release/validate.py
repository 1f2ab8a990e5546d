"""Checks bills of materials against CycloneDX's schema, which is stricter than what most readers need."""

import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

wrong = False
for name in sys.argv[1:]:
    error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(Path(name).read_text())
    print(f"{name}: {error.data if error else 'valid'}")
    wrong |= error is not None
sys.exit(wrong)
