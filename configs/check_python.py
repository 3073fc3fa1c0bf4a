"""Says as one line of JSON what this interpreter has of what kernelmesh's workers need.

Kept to a syntax that old interpreters read too: they are to be told what is missing. With `--quick` versions are read
from the packages' metadata; otherwise each package is imported.
"""

import json
import sys

PACKAGES = {"torch": "torch", "numpy": "numpy", "zmq": "pyzmq", "msgpack": "msgpack"}


def version_of(module, package, quick):  # type: (str, str, bool) -> str
    """The package's version; raises where it is not there or does not load."""
    if quick:
        from importlib import metadata

        return str(metadata.version(package))
    version = getattr(__import__(module), "__version__", None)
    if version is None:
        version = getattr(__import__(module), "version", "")
    return str(version)


def main():  # type: () -> None
    """Prints the line; a package that fails to load is reported with its error, whatever it is."""
    versions, missing = {}, {}
    for module, package in PACKAGES.items():
        try:
            versions[module] = version_of(module, package, "--quick" in sys.argv[1:])
        except Exception as error:  # a broken install raises anything
            missing[module] = type(error).__name__ + ": " + str(error)[:200]
    found = {"python": ".".join(str(x) for x in sys.version_info[:3]), "versions": versions, "missing": missing}
    print("kernelmesh-python " + json.dumps(found))


if __name__ == "__main__":
    main()
