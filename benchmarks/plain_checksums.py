"""The minimum that reading a log costs: find each batch by its length, and verify its checksum with the compiled
library. It is the floor of `logs-cold`.

`python -m benchmarks.plain_checksums FOLDER`
"""

import struct
import sys
from pathlib import Path

import google_crc32c

_FRAME = struct.Struct(">qiibI")


def main(folder: Path) -> int:
    batches = 0
    for path in sorted(folder.rglob("*.log")):
        with path.open("rb") as file:
            data = file.read()
        position = 0
        while position < len(data):
            _, length, _, _, crc = _FRAME.unpack_from(data, position)
            end = position + 12 + length
            if google_crc32c.value(data[position + 21 : end]) != crc:
                raise ValueError(f"{path}: byte {position}")
            position, batches = end, batches + 1
    return batches


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))
